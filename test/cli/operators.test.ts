// The operators command beside a service, on each store: a link that opens its page, who is listed, and who is removed.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/ids.ts";
import { openPostgresStore } from "../../src/service/store/postgres.ts";
import { openSqliteStore } from "../../src/service/store/sqlite.ts";
import type { ProcessFixture } from "../support/fixtures/process-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { makeOperator } from "../support/operators.ts";
import { call } from "../support/service-client.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

onEveryStore((kind) => {
  describe("the operators command", () => {
    let fixture: ProcessFixture;

    beforeAll(async () => {
      fixture = await startFixture({ level: "process", store: kind, settings: { BACKEND: "noop" } });
    });

    afterAll(() => fixture.close());

    /** Beside the service's process, as a command is. */
    const addOperator = async () => {
      const { dataDir, databaseUrl } = fixture.place.settings;
      const store =
        databaseUrl === null
          ? await openSqliteStore({ folder: dataDir, hold: "none" })
          : await openPostgresStore({ url: databaseUrl });
      try {
        return await makeOperator({ store, clock: systemClock, random: systemRandom }, { name: "Ada" });
      } finally {
        await store.close();
      }
    };
    const run = (...args: string[]) => fixture.run(["operators", ...args], {});

    it("prints a link, whose page is there before anybody can sign in", async () => {
      expect((await call(`${fixture.url}/operator`)).status).toBe(404);
      const { code, stdout, stderr } = await run("link");
      const path = /http:\/\/\S+?(\/operator\/link\/svc_oplink_[\w-]+)/.exec(stdout)?.[1] ?? "";
      expect([code, stderr, stdout]).toEqual([0, "", expect.stringContaining("once and until")]);
      const page = await call(fixture.url + path);
      // Browsers make no passkey for an IP address.
      expect([page.status, page.text]).toEqual([200, expect.stringContaining("set WEB_URL, or BASE_URL")]);
      const again = JSON.parse((await run("link", "--json")).stdout);
      expect(again).toEqual({
        url: expect.stringMatching(/\/operator\/link\/svc_oplink_/),
        expires_at: expect.any(String),
      });
      expect(again.url).not.toContain(path);
    });

    it("lists operators and removes one, and says of another that there is none", async () => {
      expect(await run("list")).toMatchObject({
        code: 0,
        stdout: "",
        stderr: expect.stringContaining("No operator has a passkey"),
      });
      const operator = await addOperator();
      expect((await run("list")).stdout).toMatch(
        new RegExp(`^ID +NAME +CREATED +LAST USED\n${operator.id} +Ada +\\d{4}-`),
      );
      expect(JSON.parse((await run("list", "--json")).stdout)).toEqual([
        {
          ...{ id: operator.id, name: "Ada" },
          ...{ created_at: expect.any(String), last_used_at: expect.any(String) },
        },
      ]);
      expect((await call(`${fixture.url}/operator`)).status).toBe(303);
      expect(await run("remove", operator.id)).toMatchObject({
        code: 0,
        stdout: `Removed operator ${operator.id}.`,
      });
      expect((await call(`${fixture.url}/operator`)).status).toBe(404);
      expect(await run("remove", operator.id)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`There is no operator "${operator.id}"`),
      });
      const trail = await fixture.run(["audit", "--action", "operator_removed", "--json"], {});
      expect(JSON.parse(trail.stdout)).toMatchObject({ outcome: "ok", operator_id: operator.id });
    });
  });
});

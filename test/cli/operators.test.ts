// The operators command beside a service, on each store: a link that opens its page, who is listed, and who is removed.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProcessFixture } from "../support/fixtures/process-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { call } from "../support/service-client.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

onEveryStore((kind) => {
  describe("the operators command", () => {
    let fixture: ProcessFixture;

    beforeAll(async () => {
      fixture = await startFixture({ level: "process", store: kind, settings: { BACKEND: "noop" } });
    });

    afterAll(() => fixture.close());

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
      await fixture.place.query(
        "insert into operators (id, name, credential_id, public_key, counter, transports, is_backed_up, created_at, last_used_at) values ('operator-1', 'Ada', 'abc', 'def', 0, '[]', 0, 1000, null)",
      );
      expect((await run("list")).stdout).toMatch(
        /^ID +NAME +CREATED +LAST USED\noperator-1 +Ada +1970-01-01/,
      );
      expect(JSON.parse((await run("list", "--json")).stdout)).toEqual([
        { id: "operator-1", name: "Ada", created_at: "1970-01-01T00:00:01.000Z", last_used_at: null },
      ]);
      expect((await call(`${fixture.url}/operator`)).status).toBe(303);
      expect(await run("remove", "operator-1")).toMatchObject({
        code: 0,
        stdout: "Removed operator operator-1.\n",
      });
      expect((await call(`${fixture.url}/operator`)).status).toBe(404);
      expect(await run("remove", "operator-1")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('There is no operator "operator-1"'),
      });
      const trail = await fixture.run(["audit", "--action", "operator_removed", "--json"], {});
      expect(JSON.parse(trail.stdout)).toMatchObject({ outcome: "ok", operator_id: "operator-1" });
    });
  });
});

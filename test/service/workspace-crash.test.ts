// The service is killed while files are written, copies made, saved and deleted: nothing that it acknowledged is lost, every
// operation comes to its end, and after a sweep nothing is left that nothing names. `npm run test:long` kills it often.

import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { type Client, createClient } from "../../src/client/client.ts";
import { takeUpOperations } from "../../src/service/core/workspaces/administration/take-up-operations.ts";
import { sweepWorkspaces } from "../../src/service/core/workspaces/retention/sweep-workspaces.ts";
import { makeTestKey } from "../support/account-key.ts";
import { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { amount } from "../support/run/long.ts";
import { openS3Gate } from "../support/s3-gate.ts";
import { startS3Server } from "../support/s3-server.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import type { StorePlace } from "../support/stores/stores.ts";
import { WorkspaceCrashLoad } from "../support/workspace-crash-load.ts";

const MAX_OBSERVATIONS = 60;
/** Of the requests to the bucket. */
const FAILS_EVERY = 7;
const DAY_MS = 24 * 60 * 60_000;

onEveryStore((kind) => {
  describe("kill -9 in workspaces", () => {
    const rounds = amount({ short: 2, long: 50 });
    const timeout = 60_000 + rounds * 20_000;

    it(`loses nothing and leaves nothing in ${rounds} rounds`, { timeout }, () => crash({}));

    it(`loses nothing in ${rounds} rounds with a bucket that fails in turn`, { timeout }, async () => {
      const gate = await openS3Gate(await startS3Server());
      let requests = 0;
      gate.judge(() => {
        requests += 1;
        return requests % FAILS_EVERY === 0 ? 503 : "pass";
      });
      await crash(gate.settings);
      expect(gate.seen.length).toBeGreaterThan(FAILS_EVERY);
      await gate.stop();
    });

    async function crash(settings: Readonly<Record<string, string>>): Promise<void> {
      const place = await kind.make();
      const { secret } = await makeTestKey(place, { owner: { plan: "subscribed" } });
      const load = new WorkspaceCrashLoad();
      for (let round = 1; round <= rounds; round += 1) {
        const service = startProcess(place, settings);
        const client = clientOf(await service.ready(), secret);
        let left = randomInt(10, MAX_OBSERVATIONS);
        await load.press(client, () => {
          left -= 1;
          if (left === 0) service.signal("SIGKILL");
        });
        expect((await service.ended).signal).toBe("SIGKILL");
      }

      const service = startProcess(place, settings);
      await load.settle(clientOf(await service.ready(), secret));
      service.signal("SIGTERM");
      const { code, stdout } = await service.ended;
      expect(code).toBe(0);
      expect(stdout).not.toContain('"level":50');
      await expectNothingLeft(place, load);
    }
  });

  /** Days later, by a process whose clock says so. Removes the place. */
  async function expectNothingLeft(place: StorePlace, load: WorkspaceCrashLoad): Promise<void> {
    const fixture = await CoreFixture.start({ store: { ...kind, make: async () => place } });
    const { core, clock } = fixture;
    clock.advance(systemClock.now() + 3 * DAY_MS - clock.now());
    // What was begun and never answered.
    const open = "select id from operations where status in ('queued', 'running')";
    const left = await place.query(open);
    while ((await takeUpOperations(core)) > 0) {
      for (const { id } of left) await core.workspaces?.operations.settled(String(id));
    }
    await sweepWorkspaces(core, new AbortController().signal);
    await core.store.transact((tx) =>
      tx.blobs.discardUnfinished({ begunBefore: clock.now() - DAY_MS, now: clock.now(), limit: 1_000 }),
    );
    const none = [
      open,
      "select id from operations where status = 'failed'",
      "select path from copy_entries where copy_id not in (select id from copies)",
      "select handle from copy_trash where copy_id not in (select id from copies)",
      "select key from blobs where state = 'unfinished'",
      "select key from blobs where state = 'kept' and key not in (select blob_key from workspace_objects where blob_key is not null)",
      "select oid from workspace_objects where blob_key is not null and blob_key not in (select key from blobs where state = 'kept')",
    ];
    for (const query of none) expect(await place.query(query), query).toEqual([]);
    // What nothing names is gone: only the contents that copies and revisions hold are left.
    const blobs = await place.query("select oid from workspace_objects where kind = 'blob'");
    expect(blobs.length).toBeLessThanOrEqual(load.attemptedFiles);
    await fixture.close();
  }
});

function startProcess(place: StorePlace, settings: Readonly<Record<string, string>>): ServiceProcess {
  const { dataDir, databaseUrl } = place.settings;
  return new ServiceProcess(["serve"], {
    PORT: "0",
    DATA_DIR: dataDir,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    BACKEND: "noop",
    CI_AUDIENCE: "crash.example",
    RATE_PER_MINUTE: "1000000",
    ...settings,
  });
}

function clientOf(baseUrl: string, secret: string): Client {
  return createClient({
    baseUrl,
    credential: () => secret,
    retry: { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 },
  });
}

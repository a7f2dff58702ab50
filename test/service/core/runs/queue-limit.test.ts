// MAX_QUEUED_RUNS counts the runs that wait, on every store.

import { describe, expect, it } from "vitest";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { scriptedBackend, untilStopped } from "../../../support/scripted-backend.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const LIMIT = 2;

onEveryStore((store) => {
  describe("the limit of queued runs", () => {
    it("does not count runs that have been taken", async () => {
      const config = { backend: "noop", maxQueuedRuns: LIMIT };
      const fixture = await startFixture({ level: "service", store, config });
      const job = await fixture.job();
      for (let index = 0; index < 4 * LIMIT; index += 1) {
        const submitted = await job.submit({ message: "go" });
        expect(submitted.status, submitted.text).toBe(202);
        await job.ended((submitted.body as { run_id: string }).run_id);
      }
      await fixture.close();
    });

    it("refuses what is beyond it", async () => {
      const backend = scriptedBackend(untilStopped);
      const config = { maxRunningRuns: 1, maxQueuedRuns: LIMIT };
      const fixture = await startFixture({ level: "service", store, backend, config });
      const job = await fixture.job();
      const running = await job.start();
      await job.readUntil(running, ({ event }) => event.type === "RUN_STARTED");
      const statuses = [];
      for (let index = 0; index < LIMIT + 2; index += 1)
        statuses.push((await job.submit({ message: "go" })).status);
      expect(statuses).toEqual([202, 202, 429, 429]);
      await fixture.close();
    });
  });
});

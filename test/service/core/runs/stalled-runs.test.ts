// A worker that is not heard of any more, as the other nodes see it.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendRunEvents, beatRun, takeRun } from "../../../../src/service/core/runs/progress-run.ts";
import { StalledRuns } from "../../../../src/service/core/runs/stalled-runs.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { expectValidStream } from "../../../support/service-streams.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";
import { withReads } from "../../../support/wrapped-store.ts";

onEveryStore((kind) => {
  describe("stalled runs", () => {
    let fixture: CoreFixture;
    let nowMs: number;
    let isStoreAway: boolean;
    let stalled: StalledRuns;

    beforeEach(async () => {
      nowMs = 0;
      isStoreAway = false;
      fixture = await startFixture({ level: "core", store: kind });
      const { store } = fixture;
      const listAtWork = async () => {
        if (isStoreAway) throw new Error("away");
        return await store.committed.queue.listAtWork();
      };
      const core = { ...fixture.core, store: withReads(store, { queue: { listAtWork } }) };
      stalled = new StalledRuns(core, { stalledMs: 30_000, elapsedMs: () => nowMs });
    });

    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
    });

    const take = async () => {
      const runId = await fixture.submit();
      await takeRun(fixture.core, runId);
      return runId;
    };

    it("end as stalled, refunded, worth repeating, and shut their worker out", async () => {
      const runId = await take();
      expect(await stalled.sweep()).toBe(0);
      nowMs += 30_000;
      expect(await stalled.sweep()).toBe(1);
      const run = await fixture.run(runId);
      expect(run).toMatchObject({
        status: "failed",
        cause: "stalled",
        retryable: true,
        refundReason: "stalled",
      });
      expect(await appendRunEvents(fixture.core, { runId, fence: 1, events: [] })).toBeNull();
      await expectValidStream(await fixture.stream(runId));
      expect(await stalled.sweep()).toBe(0);
    });

    it("are only those without a new heartbeat, whatever the clock of their worker says", async () => {
      const runId = await take();
      await fixture.submit();
      for (let beat = 0; beat < 5; beat += 1) {
        expect(await stalled.sweep()).toBe(0);
        nowMs += 20_000;
        fixture.clock.advance(1);
        await beatRun(fixture.core, { runId, fence: 1 });
      }
      expect((await fixture.run(runId)).status).toBe("running");
    });

    it("are watched anew when the store was away", async () => {
      const runId = await take();
      await stalled.sweep();
      isStoreAway = true;
      nowMs += 40_000;
      expect(await stalled.sweep()).toBe(0);
      isStoreAway = false;
      expect(await stalled.sweep()).toBe(0);
      nowMs += 29_999;
      expect(await stalled.sweep()).toBe(0);
      expect((await fixture.run(runId)).status).toBe("running");
    });
  });
});

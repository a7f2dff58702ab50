// A worker that is not heard of any more, as the other nodes see it.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendRunEvents, beatRun, takeRun } from "../../../src/service/core/progress-run.ts";
import { StalledRuns } from "../../../src/service/core/stalled-runs.ts";
import { CoreBed } from "../../support/service-core.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { expectValidStream } from "../../support/service-streams.ts";
import { storeKinds } from "../../support/stores.ts";

for (const kind of storeKinds) {
  describe.skipIf(kind.isSkipped)(`stalled runs on ${kind.name}`, () => {
    let bed: CoreBed;
    let nowMs: number;
    let isStoreAway: boolean;
    let stalled: StalledRuns;

    beforeEach(async () => {
      nowMs = 0;
      isStoreAway = false;
      bed = await CoreBed.start({ kind });
      const { store } = bed;
      const listRunsAtWork = async () => {
        if (isStoreAway) throw new Error("away");
        return await store.committed.listRunsAtWork();
      };
      const core = { ...bed.core, store: { ...store, committed: { ...store.committed, listRunsAtWork } } };
      stalled = new StalledRuns(core, { stalledMs: 30_000, elapsedMs: () => nowMs });
    });

    afterEach(async () => {
      await expectSoundLedger(bed.place);
      await bed.close();
    });

    const take = async () => {
      const runId = await bed.submit();
      await takeRun(bed.core, runId);
      return runId;
    };

    it("end as stalled, refunded, worth repeating, and shut their worker out", async () => {
      const runId = await take();
      expect(await stalled.look()).toBe(0);
      nowMs += 30_000;
      expect(await stalled.look()).toBe(1);
      const run = await bed.run(runId);
      expect(run).toMatchObject({
        status: "failed",
        cause: "stalled",
        retryable: true,
        refundReason: "stalled",
      });
      expect(await appendRunEvents(bed.core, { runId, fence: 1, events: [] })).toBeNull();
      await expectValidStream(await bed.stream(runId));
      expect(await stalled.look()).toBe(0);
    });

    it("are those alone that nobody spoke for, whatever the clock of their worker says", async () => {
      const runId = await take();
      await bed.submit();
      for (let beat = 0; beat < 5; beat += 1) {
        expect(await stalled.look()).toBe(0);
        nowMs += 20_000;
        bed.clock.advance(1);
        await beatRun(bed.core, { runId, fence: 1 });
      }
      expect((await bed.run(runId)).status).toBe("running");
    });

    it("are watched anew when the store was away", async () => {
      const runId = await take();
      await stalled.look();
      isStoreAway = true;
      nowMs += 40_000;
      expect(await stalled.look()).toBe(0);
      isStoreAway = false;
      expect(await stalled.look()).toBe(0);
      nowMs += 29_999;
      expect(await stalled.look()).toBe(0);
      expect((await bed.run(runId)).status).toBe("running");
    });
  });
}

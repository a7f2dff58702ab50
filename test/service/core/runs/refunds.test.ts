// What a failed run gets back, and how often a day.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RUN_FEE_MICRO_USD } from "../../../../src/service/core/money/ledger.ts";
import { finishRun, raiseHold, takeRun } from "../../../../src/service/core/runs/progress-run.ts";
import { leaveRun } from "../../../../src/service/core/runs/recover-runs.ts";
import type { RunEnding } from "../../../../src/service/core/runs/run-machine.ts";
import type { RunRecord } from "../../../../src/service/core/runs/run-record.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const HOUR_MS = 60 * 60 * 1000;
const usage = { roles: { executor: { tokens: 900, calls: 1, microUsd: 40_000 } }, advisor: null };
const failure: RunEnding = {
  status: "failed",
  cause: "backend_error",
  reason: "model_failed",
  message: "The agent failed.",
  retryable: true,
};

onEveryStore((kind) => {
  describe("refunds", () => {
    let fixture: CoreFixture;

    beforeEach(async () => {
      fixture = await startFixture({ level: "core", store: kind, refundsPerDay: 3 });
      // The clock begins at ten in the morning.
      expect(new Date(fixture.clock.now()).getUTCHours()).toBe(10);
    });
    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
    });

    const take = async (): Promise<string> => {
      const runId = await fixture.submit();
      await takeRun(fixture.core, runId);
      await raiseHold(fixture.core, { runId, fence: 1, microUsd: 40_000 });
      return runId;
    };
    const finish = async (
      runId: string,
      ending: RunEnding = failure,
      core = fixture.core,
    ): Promise<RunRecord> => {
      expect(await finishRun(core, { runId, fence: 1, events: [], ending, usage })).toBe(true);
      return await fixture.run(runId);
    };
    const gross = RUN_FEE_MICRO_USD + 40_000;
    const refunded = { grossMicroUsd: gross, refundedMicroUsd: gross, refundWithheldReason: null };
    const charged = { grossMicroUsd: gross, refundedMicroUsd: 0, refundReason: null };

    it("are so many a day and billing account, and then the run is charged and says so", async () => {
      for (let run = 0; run < 3; run += 1)
        expect(await finish(await take())).toMatchObject({ ...refunded, refundReason: "backend_error" });
      const runId = await take();
      expect(await finish(runId)).toMatchObject({ ...charged, refundWithheldReason: "refund_limit" });
      expect((await fixture.stream(runId)).at(-1)?.event).toMatchObject({
        type: "RUN_ERROR",
        message:
          "The agent failed. It was charged: 3 failed runs a day (UTC) are refunded, and there were as many today.",
      });
      fixture.clock.advance(14 * HOUR_MS - 1);
      expect(await finish(await take())).toMatchObject({ refundWithheldReason: "refund_limit" });
      fixture.clock.advance(1);
      expect(await finish(await take())).toMatchObject({ ...refunded, refundReason: "backend_error" });
    });

    it("are neither counted nor limited for runs that the service interrupted", async () => {
      for (let run = 0; run < 5; run += 1) {
        const runId = await take();
        await leaveRun(fixture.core, runId);
        expect(await fixture.run(runId)).toMatchObject({ refundReason: "interrupted" });
      }
      for (let run = 0; run < 3; run += 1) expect(await finish(await take())).toMatchObject(refunded);
      expect(await finish(await take())).toMatchObject({ refundWithheldReason: "refund_limit" });
      const runId = await take();
      await leaveRun(fixture.core, runId);
      expect(await fixture.run(runId)).toMatchObject({
        refundReason: "interrupted",
        refundWithheldReason: null,
      });
    });

    it("are neither counted nor limited where the service itself failed, such as by a bucket that refuses it", async () => {
      const own: RunEnding = { ...failure, reason: "storage_unavailable" };
      const given = { ...refunded, refundReason: "storage_unavailable" };
      for (let run = 0; run < 5; run += 1) expect(await finish(await take(), own)).toMatchObject(given);
      for (let run = 0; run < 3; run += 1) expect(await finish(await take())).toMatchObject(refunded);
      expect(await finish(await take())).toMatchObject({ refundWithheldReason: "refund_limit" });
      expect(await finish(await take(), own)).toMatchObject(given);
    });

    it("are not given for a run that reached its time limit", async () => {
      const late: RunEnding = { ...failure, cause: "time_limit", reason: "time_limit" };
      expect(await finish(await take(), late)).toMatchObject({ ...charged, refundWithheldReason: null });
    });

    it("are not given, and not counted, where the run had answered", async () => {
      const answered: RunEnding = { ...failure, chargedFor: "answered" };
      for (let run = 0; run < 4; run += 1)
        expect(await finish(await take(), answered)).toMatchObject({
          ...charged,
          refundWithheldReason: "answered",
        });
      expect(await finish(await take())).toMatchObject(refunded);
    });

    it("are no more where runs fail at the same time, on several nodes too", async () => {
      const runIds: string[] = [];
      while (runIds.length < 12) runIds.push(await take());
      // One process at a time has an SQLite file.
      const other = kind.name === "SQLite" ? null : await fixture.place.open();
      const cores = [fixture.core, other === null ? fixture.core : { ...fixture.core, store: other }];
      const runs = await Promise.all(runIds.map((runId, at) => finish(runId, failure, cores[at % 2])));
      expect(runs.filter(({ refundedMicroUsd }) => refundedMicroUsd > 0)).toHaveLength(3);
      await other?.close();
    });
  });
});

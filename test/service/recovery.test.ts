// What a service finds that did not stop by itself, put right at the next start.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/contract/run-event.ts";
import { appendRunEvents, takeRun } from "../../src/service/core/progress-run.ts";
import { interruptRun, recoverRuns } from "../../src/service/core/recover-runs.ts";
import { say, scriptedBackend, untilStopped } from "../support/scripted-backend.ts";
import { ServiceBed } from "../support/service-bed.ts";
import { CoreBed } from "../support/service-core.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";
import { expectValidStream, outlineOf } from "../support/service-streams.ts";
import { storeKinds } from "../support/stores.ts";

for (const kind of storeKinds) {
  describe.skipIf(kind.isSkipped)(`recovery on ${kind.name}`, () => {
    let bed: CoreBed;

    beforeEach(async () => {
      bed = await CoreBed.start({ kind, backend: scriptedBackend((task) => say(task, "done")) });
    });

    afterEach(async () => {
      await expectSoundLedger(bed.place);
      await bed.close();
    });

    /** A run whose worker wrote these events and was never heard of again. */
    const abandon = async (events: readonly RunEvent[]) => {
      const runId = await bed.submit();
      await takeRun(bed.core, runId);
      if (events.length > 0) await appendRunEvents(bed.core, { runId, fence: 1, events });
      return runId;
    };

    it("offers queued runs again, oldest first, and ends the others", async () => {
      const abandoned = await abandon([]);
      const queued = [await bed.submit(), await bed.submit()];
      while (bed.dispatch.waiting() > 0) await bed.dispatch.next(AbortSignal.timeout(1_000));
      expect(await recoverRuns(bed.core)).toEqual({ requeued: 2, ended: 1 });
      expect(bed.dispatch.waiting()).toBe(2);
      bed.executor.start();
      for (const runId of queued) expect((await bed.ended(runId)).status).toBe("completed");
      expect((await bed.run(abandoned)).status).toBe("failed");
    });

    it("ends a run that was at work as interrupted, refunded, worth repeating, its stream closed", async () => {
      const many = Array.from(
        { length: 1_200 },
        (): RunEvent => ({
          type: "TEXT_MESSAGE_CONTENT",
          messageId: "open",
          delta: "x",
        }),
      );
      const runId = await abandon([
        { type: "STEP_STARTED", stepName: "open" },
        { type: "STEP_STARTED", stepName: "closed" },
        { type: "STEP_FINISHED", stepName: "closed" },
        { type: "TEXT_MESSAGE_START", messageId: "open", role: "assistant" },
        ...many,
        { type: "TOOL_CALL_START", toolCallId: "open", toolCallName: "look" },
      ]);
      await recoverRuns(bed.core);
      expect(await bed.run(runId)).toMatchObject({
        status: "failed",
        cause: "interrupted",
        retryable: true,
        refundReason: "interrupted",
        refundedMicroUsd: 8333,
        fence: 2,
      });
      const events = await expectValidStream(await bed.stream(runId));
      expect(outlineOf(events).slice(-6)).toEqual([
        "TOOL_CALL_START",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_END",
        "STEP_FINISHED",
        "CUSTOM",
        "RUN_ERROR",
      ]);
    });

    it("ends a run that was asked to stop as cancelled", async () => {
      const runId = await abandon([{ type: "STEP_STARTED", stepName: "open" }]);
      await bed.store.transact((tx) => tx.updateRun(runId, { status: "cancelling" }));
      await recoverRuns(bed.core);
      expect(await bed.run(runId)).toMatchObject({
        status: "cancelled",
        cause: "user_stop",
        refundReason: null,
      });
      expect((await expectValidStream(await bed.stream(runId))).at(-1)).toMatchObject({
        outcome: { type: "cancelled" },
      });
    });

    it("is safe to repeat", async () => {
      const runId = await abandon([]);
      await recoverRuns(bed.core);
      const stream = await bed.stream(runId);
      expect(await recoverRuns(bed.core)).toEqual({ requeued: 0, ended: 0 });
      await interruptRun(bed.core, runId);
      await interruptRun(bed.core, "no-such-run");
      expect(await bed.stream(runId)).toEqual(stream);
    });

    it("shuts out a worker that comes back", async () => {
      const runId = await abandon([]);
      await interruptRun(bed.core, runId);
      const late: RunEvent = { type: "STEP_STARTED", stepName: "late" };
      expect(await appendRunEvents(bed.core, { runId, fence: 1, events: [late] })).toBeNull();
      await expectValidStream(await bed.stream(runId));
    });
  });

  describe.skipIf(kind.isSkipped)(`a stop and a start on ${kind.name}`, () => {
    it("interrupts what is at work, keeps the queue, and loses nothing that a reader saw", async () => {
      const backend = scriptedBackend(async (task) => {
        if (task.messages[0]?.content !== "wait") return await say(task, "done");
        await task.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
        await untilStopped(task);
      });
      const bed = await ServiceBed.start({ kind, backend, config: { maxRunningRuns: 1 } });
      try {
        const job = await bed.job();
        const working = await job.start("wait");
        const seen = await job.readUntil(working, ({ event }) => event.type === "TEXT_MESSAGE_START");
        const queued = await job.start("later");
        const claims = {
          repository: job.exchanged.repository.name,
          repository_id: job.exchanged.repository.id,
        };
        await bed.restart();

        const next = await bed.job({ ...claims, repository_owner_id: job.exchanged.repository.owner_id });
        expect(next.agentId).toBe(job.agentId);
        const stored = await job.follow(working);
        await expectValidStream(stored);
        expect(stored.slice(0, seen.length)).toEqual(seen);
        expect(await job.run(working)).toMatchObject({ status: "failed", cause: "interrupted", credits: 0 });
        await expectValidStream(await job.follow(queued));
        expect((await job.run(queued)).status).toBe("completed");
        await expectSoundLedger(bed.place);
      } finally {
        await bed.close();
      }
    });
  });
}

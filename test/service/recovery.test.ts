// What a service finds that did not stop by itself, put right at the next start.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/contract/runs/run-event.ts";
import { appendRunEvents, takeRun } from "../../src/service/core/runs/progress-run.ts";
import { leaveRun, recoverRuns } from "../../src/service/core/runs/recover-runs.ts";
import type { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../support/scripted-backend.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";
import { expectValidStream, outlineOf } from "../support/service-streams.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

onEveryStore((kind) => {
  describe("recovery", () => {
    let fixture: CoreFixture;

    beforeEach(async () => {
      fixture = await startFixture({
        level: "core",
        store: kind,
        backend: scriptedBackend((task) => say(task, "done")),
      });
    });

    afterEach(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
    });

    /** A run whose worker wrote these events and was never heard of again. */
    const abandon = async (events: readonly RunEvent[]) => {
      const runId = await fixture.submit();
      await takeRun(fixture.core, runId);
      if (events.length > 0) await appendRunEvents(fixture.core, { runId, fence: 1, events });
      return runId;
    };

    it("offers queued runs again, oldest first, and ends the others", async () => {
      const abandoned = await abandon([]);
      const queued = [await fixture.submit(), await fixture.submit()];
      while (fixture.dispatch.waiting() > 0) await fixture.dispatch.next(AbortSignal.timeout(1_000));
      expect(await recoverRuns(fixture.core)).toEqual({ requeued: 2, taken_up: 0, ended: 1 });
      expect(fixture.dispatch.waiting()).toBe(2);
      fixture.executor.start();
      for (const runId of queued) expect((await fixture.ended(runId)).status).toBe("completed");
      expect((await fixture.run(abandoned)).status).toBe("failed");
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
      await recoverRuns(fixture.core);
      expect(await fixture.run(runId)).toMatchObject({
        status: "failed",
        cause: "interrupted",
        retryable: true,
        refundReason: "interrupted",
        refundedMicroUsd: 8333,
        fence: 2,
      });
      const events = await expectValidStream(await fixture.stream(runId));
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
      await fixture.store.transact((tx) => tx.runs.update(runId, { status: "cancelling" }));
      await recoverRuns(fixture.core);
      expect(await fixture.run(runId)).toMatchObject({
        status: "cancelled",
        cause: "user_stop",
        refundReason: null,
      });
      expect((await expectValidStream(await fixture.stream(runId))).at(-1)).toMatchObject({
        outcome: { type: "cancelled" },
      });
    });

    it("is safe to repeat", async () => {
      const runId = await abandon([]);
      await recoverRuns(fixture.core);
      const stream = await fixture.stream(runId);
      expect(await recoverRuns(fixture.core)).toEqual({ requeued: 0, taken_up: 0, ended: 0 });
      await leaveRun(fixture.core, runId);
      await leaveRun(fixture.core, "no-such-run");
      expect(await fixture.stream(runId)).toEqual(stream);
    });

    it("shuts out a worker that comes back", async () => {
      const runId = await abandon([]);
      await leaveRun(fixture.core, runId);
      const late: RunEvent = { type: "STEP_STARTED", stepName: "late" };
      expect(await appendRunEvents(fixture.core, { runId, fence: 1, events: [late] })).toBeNull();
      await expectValidStream(await fixture.stream(runId));
    });
  });

  describe("a stop and a start", () => {
    it("interrupts what is at work, keeps the queue, and loses nothing that a reader saw", async () => {
      const backend = scriptedBackend(async (task) => {
        if (task.messages[0]?.content !== "wait") return await say(task, "done");
        await task.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
        await untilStopped(task);
      });
      const fixture = await startFixture({
        level: "service",
        store: kind,
        backend,
        config: { maxRunningRuns: 1 },
      });
      try {
        const job = await fixture.job();
        const working = await job.start("wait");
        const seen = await job.readUntil(working, ({ event }) => event.type === "TEXT_MESSAGE_START");
        const queued = await job.start("later");
        const claims = {
          repository: job.exchanged.repository.name,
          repository_id: job.exchanged.repository.id,
        };
        await fixture.restart();

        const next = await fixture.job({ ...claims, repository_owner_id: job.exchanged.repository.owner_id });
        expect(next.agentId).toBe(job.agentId);
        const stored = await job.follow(working);
        await expectValidStream(stored);
        expect(stored.slice(0, seen.length)).toEqual(seen);
        expect(await job.run(working)).toMatchObject({ status: "failed", cause: "interrupted", credits: 0 });
        await expectValidStream(await job.follow(queued));
        expect((await job.run(queued)).status).toBe("completed");
        await expectSoundLedger(fixture.place);
      } finally {
        await fixture.close();
      }
    });
  });
});

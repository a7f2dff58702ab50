import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { problemSchema } from "../../../../src/contract/problems/problem.ts";
import type { Run } from "../../../../src/contract/runs/run.ts";
import type { BackendTask } from "../../../../src/service/executor/backend.ts";
import type { ServiceFixture } from "../../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../../../support/scripted-backend.ts";
import type { CiJob } from "../../../support/service-job.ts";
import { expectSoundLedger } from "../../../support/service-ledger.ts";
import { expectValidStream, outlineOf } from "../../../support/service-streams.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const ROUNDS = 60;

/** What a run of this message does. */
const scripts: Record<string, (task: BackendTask) => Promise<void>> = {
  wait: untilStopped,
  quick: (task) => say(task, "done"),
  open: async (task) => {
    await task.emit({ type: "STEP_STARTED", stepName: "work" });
    await task.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
    await task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Half a" });
    await task.emit({ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "look" });
    await task.emit({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"path":' });
    await untilStopped(task);
  },
};

onEveryStore((kind) => {
  describe("cancelling", () => {
    let fixture: ServiceFixture;

    beforeAll(async () => {
      const backend = scriptedBackend(async (task) => {
        await scripts[String(task.messages[0]?.content)]?.(task);
      });
      fixture = await startFixture({ level: "service", store: kind, backend, config: { maxRunningRuns: 4 } });
    });

    afterAll(async () => {
      await expectSoundLedger(fixture.place);
      await fixture.close();
    });

    const typeSeen = (type: string) => (stored: { event: { type: unknown } }) => stored.event.type === type;

    const expectFinished = async (job: CiJob, runId: string) => {
      const answer = await job.cancel(runId);
      expect([answer.status, problemSchema.parse(answer.body).code]).toEqual([409, "run_finished"]);
    };

    it("ends a queued run, which costs nothing", async () => {
      const job = await fixture.job();
      const busy: string[] = [];
      for (let index = 0; index < 4; index += 1) busy.push(await job.start("wait"));
      for (const runId of busy) await job.readUntil(runId, typeSeen("RUN_STARTED"));
      const runId = await job.start("quick");
      const reading = job.follow(runId);
      const answer = await job.cancel(runId);
      expect([answer.status, answer.body]).toEqual([202, { runId, status: "cancelling" }]);
      const run = await job.run(runId);
      expect(run).toEqual({
        id: runId,
        agent_id: job.agentId,
        thread_id: run.thread_id,
        origin: "user",
        about: expect.objectContaining({ request: "quick", event: "push" }),
        status: "cancelled",
        cause: "user_stop",
        credits: 0,
        tokens: 0,
        ended_at: expect.any(String),
      });
      expect(outlineOf(await expectValidStream(await reading))).toEqual([
        "RUN_STARTED",
        "CUSTOM",
        "RUN_FINISHED",
      ]);
      await expectFinished(job, runId);
      for (const other of busy) await job.cancel(other);
      for (const other of busy) expect((await job.ended(other)).status).toBe("cancelled");
      // The worker that finds it later leaves it as it is.
      await job.ended(await job.start("quick"));
      expect(await job.run(runId)).toEqual(run);
    });

    it("ends a running one, paid for, and closes what its stream left open", async () => {
      const { job, runId } = await startOpen();
      expect((await job.cancel(runId)).status).toBe(202);
      const events = await expectValidStream(await job.follow(runId));
      expect(outlineOf(events).slice(-6)).toEqual([
        "TOOL_CALL_ARGS",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_END",
        "STEP_FINISHED",
        "CUSTOM",
        "RUN_FINISHED",
      ]);
      expect(events.at(-1)).toMatchObject({ outcome: { type: "cancelled" } });
      expect(await job.run(runId)).toMatchObject({ status: "cancelled", cause: "user_stop", credits: 1 });
      await expectFinished(job, runId);
    });

    const startOpen = async () => {
      const job = await fixture.job();
      const runId = await job.start("open");
      await job.readUntil(runId, typeSeen("TOOL_CALL_ARGS"));
      return { job, runId };
    };

    it("may be asked twice while it has not ended", async () => {
      const { job, runId } = await startOpen();
      const answers = await Promise.all([job.cancel(runId), job.cancel(runId)]);
      for (const answer of answers) expect([202, 409]).toContain(answer.status);
      expect(answers.map(({ status }) => status)).toContain(202);
      expect((await job.ended(runId)).status).toBe("cancelled");
    });

    it("refuses a run that has ended", async () => {
      const job = await fixture.job();
      const runId = await job.start("quick");
      expect((await job.ended(runId)).status).toBe("completed");
      await expectFinished(job, runId);
      expect((await job.run(runId)).status).toBe("completed");
    });

    it(`ends in one state with a whole stream when it races the run's own end, ${ROUNDS} times`, async () => {
      const job = await fixture.job();
      const outcomes = await Promise.all(
        Array.from({ length: ROUNDS }, async (_, round) => {
          const runId = await job.start("quick");
          for (let turns = 0; turns < round % 6; turns += 1) await new Promise((go) => setImmediate(go));
          const answer = await job.cancel(runId);
          const events = await expectValidStream(await job.follow(runId));
          const run: Run = await job.run(runId);
          expect(run.status).toBe(answer.status === 202 ? "cancelled" : "completed");
          const outcome = run.status === "cancelled" ? "cancelled" : "success";
          expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: outcome } });
          return run.status;
        }),
      );
      expect(outcomes).toHaveLength(ROUNDS);
    });
  });
});

it("answers a second cancel of a deaf run like the first", async () => {
  const hears = Promise.withResolvers<void>();
  const backend = scriptedBackend(() => hears.promise);
  const fixture = await startFixture({ level: "service", backend });
  try {
    const { job, runId } = await fixture.jobWithRun();
    await job.readUntil(runId, ({ event }) => event.type === "RUN_STARTED");
    const answers = [await job.cancel(runId)];
    hears.resolve();
    await job.ended(runId);
    answers.push(await job.cancel(runId));
    expect(answers.map(({ status }) => status)).toEqual([202, 409]);
  } finally {
    await fixture.close();
  }
});

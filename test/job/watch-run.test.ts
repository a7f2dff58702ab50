import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import type { FollowedRun } from "../../src/client/follow.ts";
import type { Run } from "../../src/contract/runs/run.ts";
import type { StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import { actionWords } from "../../src/job/job-words.ts";
import { listenForInterrupts } from "../../src/job/signals.ts";
import { watchRun } from "../../src/job/watch-run.ts";
import { AGENT_ID, cancelledRun, completedRun, eventOf, RUN_ID } from "../client/run-fixtures.ts";
import { ManualClock } from "../support/clocks/manual-clock.ts";

/** A run that ends when the test says so, and one that a cancel ends or does not. */
function watch(options: { onCancel?: "cancel" | "detach"; endsOnCancel?: boolean; idleMs?: number } = {}) {
  const clock = new ManualClock();
  const runner = new EventEmitter() as unknown as NodeJS.Process;
  const interrupts = listenForInterrupts(runner);
  const ending = Promise.withResolvers<Run>();
  const calls = { cancel: 0, notes: [] as string[], events: [] as number[], untilParked: false };

  async function* events(signal: AbortSignal | undefined): AsyncGenerator<StoredRunEvent, Run, undefined> {
    yield eventOf(1);
    const aborted = new Promise<never>((_resolve, reject) => {
      if (signal?.aborted === true) reject(signal.reason);
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
    return await Promise.race([ending.promise, aborted]);
  }
  const end = watchRun({
    agentId: AGENT_ID,
    runId: RUN_ID,
    interrupts,
    onCancel: options.onCancel ?? "cancel",
    timeoutMs: 60_000,
    idleMs: options.idleMs ?? null,
    clock,
    words: actionWords,
    onEvent: (stored) => {
      calls.events.push(stored.seq);
    },
    onNote: (note) => {
      calls.notes.push(note);
    },
    client: {
      runs: {
        follow: ({ signal, untilParked = false }): FollowedRun => {
          calls.untilParked = untilParked;
          return { run: null, cursor: 0, [Symbol.asyncIterator]: () => events(signal) };
        },
        cancel: async () => {
          calls.cancel += 1;
          if (options.endsOnCancel === true) ending.resolve(cancelledRun);
          return { runId: RUN_ID, status: "cancelling" };
        },
      },
    },
  });
  const send = (name: NodeJS.Signals) => runner.emit(name, name);
  return { end, clock, calls, send, finish: () => ending.resolve(completedRun) };
}

describe("watchRun", () => {
  it("passes the events on and ends with the run", async () => {
    const at = watch();
    at.finish();
    expect(await at.end).toEqual({ type: "ended", run: completedRun, passed: null });
    expect(at.calls).toMatchObject({ cancel: 0, events: [1], untilParked: true });
  });

  it("cancels the run when the job is cancelled, and sees it end", async () => {
    const at = watch({ endsOnCancel: true });
    at.send("SIGINT");
    expect(await at.end).toEqual({ type: "ended", run: cancelledRun, passed: null });
    expect(at.calls.cancel).toBe(1);
  });

  it("stops following a run that does not end within five seconds of its cancellation", async () => {
    const at = watch();
    at.send("SIGINT");
    await at.clock.pass(5_000);
    expect(await at.end).toEqual({ type: "stopping", passed: null });
  });

  it("stops following at once on the second signal", async () => {
    const at = watch();
    at.send("SIGINT");
    at.send("SIGTERM");
    expect(await at.end).toEqual({ type: "stopping", passed: null });
  });

  it("does not cancel the run on detach", async () => {
    const at = watch({ onCancel: "detach" });
    at.send("SIGINT");
    expect(await at.end).toEqual({ type: "detached" });
    expect(at.calls.cancel).toBe(0);
  });

  it("cancels the run at the time limit", async () => {
    const at = watch({ endsOnCancel: true });
    await at.clock.pass(60_000);
    expect(await at.end).toEqual({ type: "ended", run: cancelledRun, passed: "time" });
    expect(at.calls.notes).toEqual(['The run did not end within "timeout-minutes": cancelling it.']);
  });

  it("stops following after the time limit's grace period", async () => {
    const at = watch();
    await at.clock.pass(60_000);
    await at.clock.pass(30_000);
    expect(await at.end).toEqual({ type: "stopping", passed: "time" });
  });

  it("cancels a run that is silent for too long", async () => {
    const at = watch({ endsOnCancel: true, idleMs: 10_000 });
    await at.clock.pass(0);
    await at.clock.pass(9_999);
    expect(at.calls.cancel).toBe(0);
    await at.clock.pass(1);
    expect(await at.end).toEqual({ type: "ended", run: cancelledRun, passed: "silence" });
    expect(at.calls.notes).toEqual(['The run was silent for "idle-minutes": cancelling it.']);
  });

  it("reports the first limit where both are passed", async () => {
    const at = watch({ idleMs: 50_000 });
    await at.clock.pass(0);
    await at.clock.pass(50_000);
    await at.clock.pass(30_000);
    expect(await at.end).toEqual({ type: "stopping", passed: "silence" });
    expect(at.calls.cancel).toBe(1);
  });
});

// A run between its worker, its store and its end: leases, heartbeats, slots, drains, stores that fail.

import { afterEach, describe, expect, it } from "vitest";
import { makeJob } from "../../../fakes/records.ts";
import type { Store } from "../../../src/service/core/ports/store.ts";
import { finishRun } from "../../../src/service/core/runs/progress-run.ts";
import { noUsage } from "../../../src/service/core/runs/usage.ts";
import type { BackendTask } from "../../../src/service/executor/backend.ts";
import type { CoreFixture, CoreFixtureOptions } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { say, scriptedBackend, untilStopped } from "../../support/scripted-backend.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { expectValidStream, outlineOf } from "../../support/service-streams.ts";

type Script = (task: BackendTask) => Promise<void>;

let fixture: CoreFixture;
let tasks: BackendTask[];
let whenWorking: (count: number) => Promise<void>;

/** Makes an executor whose backend runs `script`, and starts it. */
async function start(script: Script, options: CoreFixtureOptions = {}): Promise<void> {
  await prepare(script, options);
  fixture.executor.start();
}

async function prepare(script: Script, options: CoreFixtureOptions = {}): Promise<void> {
  tasks = [];
  let watchers: (() => void)[] = [];
  const backend = scriptedBackend(async (task) => {
    tasks.push(task);
    for (const watcher of watchers.splice(0)) watcher();
    await script(task);
  });
  whenWorking = async (count) => {
    while (tasks.length < count) {
      await new Promise<void>((resolve) => {
        watchers = [...watchers, resolve];
      });
    }
  };
  fixture = await startFixture({ level: "core", backend, ...options });
}

afterEach(async () => {
  await expectSoundLedger(fixture.place);
  await fixture.close();
});

describe("a lease", () => {
  it("says every five seconds that the worker lives", async () => {
    await start(untilStopped);
    const runId = await fixture.submit();
    await whenWorking(1);
    const begunAt = fixture.clock.now();
    fixture.clock.advance(4_999);
    expect((await fixture.run(runId)).heartbeatAt).toBe(begunAt);
    fixture.clock.advance(1);
    await fixture.store.transact(async () => {});
    expect((await fixture.run(runId)).heartbeatAt).toBe(begunAt + 5_000);
  });

  it("hears of a cancel at the next heartbeat when the nudge was missed", async () => {
    await start(untilStopped);
    const runId = await fixture.submit();
    await whenWorking(1);
    await fixture.store.transact((tx) => tx.runs.update(runId, { status: "cancelling" }));
    fixture.clock.advance(5_000);
    expect(await fixture.ended(runId)).toMatchObject({ status: "cancelled", cause: "user_stop" });
  });

  it("hears of a cancel at once by a nudge", async () => {
    await start(untilStopped);
    const runId = await fixture.submit();
    await whenWorking(1);
    await fixture.store.transact((tx) => tx.runs.update(runId, { status: "cancelling" }));
    fixture.dispatch.nudge(runId);
    expect((await fixture.ended(runId)).status).toBe("cancelled");
  });

  it("ends a run at the time limit, paid for and not worth repeating", async () => {
    await start(untilStopped, { runTimeLimitMs: 60_000 });
    const runId = await fixture.submit();
    await whenWorking(1);
    fixture.clock.advance(59_999);
    expect((await fixture.run(runId)).status).toBe("running");
    fixture.clock.advance(1);
    expect(await fixture.ended(runId)).toMatchObject({
      status: "failed",
      cause: "time_limit",
      retryable: false,
      refundedMicroUsd: 0,
    });
    expect((await expectValidStream(await fixture.stream(runId))).at(-1)).toMatchObject({
      code: "time_limit",
    });
  });

  it("that was lost writes nothing more, and does not end the run", async () => {
    const lost = Promise.withResolvers<void>();
    await start(async (task) => {
      await say(task, "mine");
      await lost.promise;
      await say(task, "too late");
    });
    const runId = await fixture.submit();
    await fixture.until(runId, ({ lastSeq }) => lastSeq === 4);
    await fixture.store.transact((tx) => tx.runs.update(runId, { fence: 2 }));
    lost.resolve();
    const stopped = Promise.withResolvers<void>();
    tasks[0]?.signal.addEventListener("abort", () => stopped.resolve());
    fixture.dispatch.nudge(runId);
    await stopped.promise;
    await fixture.executor.drain(0);
    expect(await fixture.run(runId)).toMatchObject({ status: "running", lastSeq: 4, fence: 2 });
    const ending = { status: "completed", stopReason: "end_turn" } as const;
    const finish = { runId, events: [], ending, usage: noUsage };
    expect(await finishRun(fixture.core, { ...finish, fence: 1 })).toBe(false);
    expect(await finishRun(fixture.core, { ...finish, fence: 2 })).toBe(true);
    expect(await finishRun(fixture.core, { ...finish, fence: 2 })).toBe(false);
    await expectValidStream(await fixture.stream(runId));
  });
});

describe("a backend", () => {
  it("that is deaf does not hold up a cancel, and what it says later is not heard", async () => {
    const forever = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<unknown>();
    await start(async (task) => {
      await task.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
      await forever.promise;
      task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "late" }).catch(refused.resolve);
    });
    const runId = await fixture.submit();
    await whenWorking(1);
    await fixture.store.transact((tx) => tx.runs.update(runId, { status: "cancelling" }));
    fixture.dispatch.nudge(runId);
    expect((await fixture.ended(runId)).status).toBe("cancelled");
    const before = await fixture.stream(runId);
    forever.resolve();
    expect(await refused.promise).toMatchObject({ code: "run_stopped", kind: "cancel" });
    expect(await fixture.stream(runId)).toEqual(before);
    expect(outlineOf(await expectValidStream(before))).toEqual([
      "RUN_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_END",
      "CUSTOM",
      "RUN_FINISHED",
    ]);
  });

  it("that throws ends the run as our fault, refunded, and its words reach no reader", async () => {
    await start(async (task) => {
      await task.emit({ type: "STEP_STARTED", stepName: "look" });
      throw new Error("password=hunter2");
    });
    const runId = await fixture.submit();
    expect(await fixture.ended(runId)).toMatchObject({
      status: "failed",
      cause: "backend_error",
      retryable: true,
      grossMicroUsd: 8333,
      refundedMicroUsd: 8333,
      refundReason: "internal_error",
    });
    const events = await expectValidStream(await fixture.stream(runId));
    expect(outlineOf(events)).toEqual([
      "RUN_STARTED",
      "STEP_STARTED",
      "STEP_FINISHED",
      "CUSTOM",
      "RUN_ERROR",
    ]);
    expect(JSON.stringify(events)).not.toContain("hunter2");
  });

  it("that writes more than a stream holds is stopped", async () => {
    await start(async (task) => {
      await task.emit({ type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" });
      const delta = "x".repeat(1_000_000);
      for (;;) await task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
    });
    const runId = await fixture.submit();
    expect(await fixture.ended(runId)).toMatchObject({ status: "failed", cause: "backend_error" });
    const events = await expectValidStream(await fixture.stream(runId));
    expect(JSON.stringify(events).length).toBeLessThan(65_000_000);
  });

  it("that is not there ends the run before it costs anything", async () => {
    await start(untilStopped);
    const runId = await fixture.submit();
    await whenWorking(1);
    const { agentId: id } = await fixture.run(runId);
    await fixture.store.transact((tx) => tx.agents.upsert({ id, job: makeJob(), backend: "gone", now: 1 }));
    const second = await fixture.submit();
    expect(await fixture.ended(second)).toMatchObject({
      status: "failed",
      cause: "spawn_failed",
      refundReason: "misconfigured",
    });
    await expectValidStream(await fixture.stream(second));
  });
});

describe("the slots", () => {
  it("bound how many runs are at work, oldest first", async () => {
    const gates: (() => void)[] = [];
    await start(() => new Promise<void>((resolve) => gates.push(resolve)), { slots: 3 });
    const runIds: string[] = [];
    for (let index = 0; index < 7; index += 1) runIds.push(await fixture.submit());
    await whenWorking(3);
    expect(fixture.dispatch.waiting()).toBe(4);
    for (let ended = 1; ended <= 7; ended += 1) {
      gates[ended - 1]?.();
      await fixture.ended(runIds[ended - 1] ?? "");
      await whenWorking(Math.min(7, ended + 3));
      expect(tasks.length).toBe(Math.min(7, ended + 3));
    }
    expect(tasks.map(({ runId }) => runId)).toEqual(runIds);
  });
});

describe("a drain", () => {
  it("gives runs at work their time, takes no more, and leaves the queue as it is", async () => {
    const gate = Promise.withResolvers<void>();
    await start(() => gate.promise, { slots: 1 });
    const working = await fixture.submit();
    const queued = await fixture.submit();
    await whenWorking(1);
    const drained = fixture.executor.drain(10_000);
    gate.resolve();
    await drained;
    expect((await fixture.run(working)).status).toBe("completed");
    expect(await fixture.run(queued)).toMatchObject({ status: "queued", fence: 0, lastSeq: 0 });
  });

  it("interrupts what is still at work when the time is over, refunded and worth repeating", async () => {
    await start(async (task) => {
      await task.emit({ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "look" });
      await untilStopped(task);
      task.signal.throwIfAborted();
    });
    const runId = await fixture.submit();
    await fixture.until(runId, ({ lastSeq }) => lastSeq === 2);
    const drained = fixture.executor.drain(10_000);
    await fixture.clock.whenSleeping(3);
    fixture.clock.advance(10_000);
    await drained;
    expect(await fixture.run(runId)).toMatchObject({
      status: "failed",
      cause: "interrupted",
      retryable: true,
      refundReason: "interrupted",
    });
    await expectValidStream(await fixture.stream(runId));
  });

  it("does not wait for a deaf backend", async () => {
    await start(() => new Promise(() => {}));
    const runId = await fixture.submit();
    await whenWorking(1);
    await fixture.executor.drain(0);
    expect(await fixture.run(runId)).toMatchObject({ status: "failed", cause: "interrupted" });
  });
});

/** A store whose transactions fail whenever the test says so, before anything was done. */
function failing(isDown: () => boolean): (store: Store) => Store {
  return (store) => ({
    ...store,
    transact: async (work) => {
      if (isDown()) throw new Error("The store is away.");
      return await store.transact(work);
    },
  });
}

describe("a store that is away for a while", () => {
  it("does not cost a run that has done its work", async () => {
    let isDown = false;
    await start(
      async (task) => {
        await say(task, "done");
        isDown = true;
      },
      { wrapStore: failing(() => isDown) },
    );
    const runId = await fixture.submit();
    await whenWorking(1);
    await fixture.clock.whenSleeping(3);
    fixture.clock.advance(1_000);
    await fixture.clock.whenSleeping(3);
    isDown = false;
    fixture.clock.advance(1_000);
    expect(await fixture.ended(runId)).toMatchObject({ status: "completed" });
    await expectValidStream(await fixture.stream(runId));
  });

  it("does not lose a queued run", async () => {
    let failures = 0;
    await prepare((task) => say(task, "done"), { wrapStore: failing(() => failures-- > 0) });
    const runId = await fixture.submit();
    failures = 2;
    fixture.executor.start();
    for (let tries = 0; tries < 2; tries += 1) {
      await fixture.clock.whenSleeping(1);
      fixture.clock.advance(10_000);
    }
    expect((await fixture.ended(runId)).status).toBe("completed");
  });

  it("does not leave a run to nobody when it took it without saying so", async () => {
    let isSilent = false;
    const wrapStore = (store: Store): Store => ({
      ...store,
      transact: async (work) => {
        const value = await store.transact(work);
        if (!isSilent) return value;
        isSilent = false;
        throw new Error("The connection broke after the commit.");
      },
    });
    await prepare((task) => say(task, "done"), { wrapStore });
    const runId = await fixture.submit();
    isSilent = true;
    fixture.executor.start();
    await fixture.clock.whenSleeping(1);
    fixture.clock.advance(10_000);
    expect(await fixture.ended(runId)).toMatchObject({
      status: "failed",
      cause: "interrupted",
      retryable: true,
    });
    await expectValidStream(await fixture.stream(runId));
  });

  it("ends a run whose events it did not take, from what it has", async () => {
    let isDown = false;
    const stopped = Promise.withResolvers<void>();
    await start(
      async (task) => {
        await task.emit({ type: "TEXT_MESSAGE_START", messageId: "kept", role: "assistant" });
        await fixture.until(task.runId, ({ lastSeq }) => lastSeq === 2);
        isDown = true;
        await task.emit({ type: "TEXT_MESSAGE_START", messageId: "lost", role: "assistant" });
        await untilStopped(task);
        await expect(
          task.emit({ type: "TEXT_MESSAGE_CONTENT", messageId: "lost", delta: "more" }),
        ).rejects.toThrow();
        stopped.resolve();
      },
      { wrapStore: failing(() => isDown) },
    );
    const runId = await fixture.submit();
    await stopped.promise;
    // Its lease is over, and the first try to end it has failed.
    await fixture.clock.whenAwake();
    await fixture.clock.whenSleeping();
    isDown = false;
    fixture.clock.advance(20_000);
    expect(await fixture.ended(runId)).toMatchObject({
      status: "failed",
      cause: "interrupted",
      retryable: true,
    });
    const events = await expectValidStream(await fixture.stream(runId));
    expect(JSON.stringify(events)).not.toContain("lost");
  });
});

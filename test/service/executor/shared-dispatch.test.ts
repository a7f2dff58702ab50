import { beforeEach, describe, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../fakes/records.ts";
import type { NodeSignal } from "../../../src/service/core/runs/node-link.ts";
import type { TakenRun } from "../../../src/service/core/runs/progress-run.ts";
import { SharedDispatch } from "../../../src/service/executor/shared-dispatch.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => silent };
const never = new AbortController().signal;

describe("SharedDispatch", () => {
  let queued: string[];
  let published: string[];
  let isAway: boolean;
  let takes: number;
  let dispatch: SharedDispatch;

  beforeEach(() => {
    queued = [];
    published = [];
    isAway = false;
    takes = 0;
    dispatch = new SharedDispatch({
      link: { publish: (signal: NodeSignal, runId: string) => published.push(`${signal} ${runId}`) },
      take: async (): Promise<TakenRun | null> => {
        takes += 1;
        if (isAway) throw new Error("away");
        const id = queued.shift();
        return id === undefined ? null : { run: makeRun({ id }), input: makeRunInput() };
      },
      takeReleased: async () => null,
      countQueued: async () => queued.length,
      countReleased: async () => 0,
      log: silent,
    });
  });

  const next = async (signal = never) => (await dispatch.next(signal))?.run.id ?? null;

  /** A worker that has found nothing and waits. */
  const idle = async (signal = never) => {
    const waiting = next(signal);
    await new Promise(setImmediate);
    return { waiting };
  };

  it("keeps a run on the node that queued it when a worker is idle there, else publishes it to the others", async () => {
    const { waiting } = await idle();
    queued.push("a");
    dispatch.enqueue("a");
    expect(await waiting).toBe("a");
    dispatch.enqueue("b");
    expect(published).toEqual(["queued b"]);
    expect(dispatch.waiting()).toBe(2);
    await dispatch.poll();
    expect(dispatch.waiting()).toBe(0);
  });

  it("wakes as many idle workers as there are runs, when it polls", async () => {
    const workers = [await idle(), await idle(), await idle()];
    queued.push("a", "b", "c");
    await dispatch.poll();
    const taken = await Promise.all(workers.map(({ waiting }) => waiting));
    expect(taken.sort()).toEqual(["a", "b", "c"]);
  });

  it("takes once for each run that is queued, and not where it knows that there is none", async () => {
    const workers = [await idle(), await idle()];
    takes = 0;
    queued.push("a");
    dispatch.enqueue("a");
    expect(await Promise.race(workers.map(({ waiting }) => waiting))).toBe("a");
    const again = await idle();
    expect(takes).toBe(1);

    queued.push("b", "c");
    dispatch.enqueue("b");
    dispatch.enqueue("c");
    const taken = await Promise.all([...workers, again].slice(1).map(({ waiting }) => waiting));
    expect(taken.sort()).toEqual(["b", "c"]);
    expect(takes).toBe(3);
  });

  it("takes again for a run that was offered while it found nothing else to take", async () => {
    const { waiting } = await idle();
    queued.push("a", "b");
    dispatch.offer();
    expect(await waiting).toBe("a");
    // This node knows of no other run, until somebody tells it.
    const other = await idle();
    dispatch.offer();
    expect(await other.waiting).toBe("b");
  });

  it("finds by polling a run whose signal was lost, also after the store was away", async () => {
    isAway = true;
    const { waiting } = await idle();
    isAway = false;
    queued.push("a");
    await dispatch.poll();
    expect(await waiting).toBe("a");
  });

  it("misses no offer that comes while a worker looks", async () => {
    const taking = next();
    queued.push("a");
    dispatch.offer();
    expect(await taking).toBe("a");
  });

  it("gives a worker that stops nothing", async () => {
    const stop = new AbortController();
    const { waiting } = await idle(stop.signal);
    stop.abort();
    expect(await waiting).toBeNull();
    const stopWhileLooking = new AbortController();
    const looking = next(stopWhileLooking.signal);
    stopWhileLooking.abort();
    expect(await looking).toBeNull();
    expect(dispatch.offer()).toBe(false);
  });

  it("nudges the worker of a run, also when it is just being taken, and the other nodes", async () => {
    queued.push("a");
    const taking = next();
    dispatch.receiveNudge("a");
    await taking;
    let nudges = 0;
    const stop = dispatch.onNudge("a", () => {
      nudges += 1;
    });
    expect(nudges).toBe(1);
    dispatch.nudge("a");
    dispatch.receiveNudge("b");
    stop();
    dispatch.receiveNudge("a");
    expect(nudges).toBe(2);
    expect(published).toEqual(["nudged a"]);
  });
});

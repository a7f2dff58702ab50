import { describe, expect, it } from "vitest";

import { InProcessDispatch } from "../../../src/service/executor/in-process-dispatch.ts";
import { ManualClock } from "../../support/clocks/manual-clock.ts";

const never = new AbortController().signal;

function makeDispatch(
  findWeights: (billingAccounts: readonly string[]) => Promise<ReadonlyMap<string, number>> = async () =>
    new Map(),
) {
  return new InProcessDispatch({ clock: new ManualClock(), findWeights });
}

describe("InProcessDispatch", () => {
  it("gives runs oldest first, each to one worker", async () => {
    const dispatch = makeDispatch();
    dispatch.enqueue("a", "free");
    dispatch.enqueue("b", "free");
    dispatch.enqueue("a", "free");
    expect(dispatch.waiting()).toBe(2);
    expect([await dispatch.next(never), await dispatch.next(never)]).toEqual(["a", "b"]);
    expect(dispatch.waiting()).toBe(0);
  });

  it("hands a run to the worker that has waited longest", async () => {
    const dispatch = makeDispatch();
    const workers = [dispatch.next(never), dispatch.next(never)];
    dispatch.enqueue("a", "free");
    dispatch.enqueue("b", "free");
    expect(await Promise.all(workers)).toEqual(["a", "b"]);
  });

  it("gives a worker that stops nothing, and its run to the next", async () => {
    const dispatch = makeDispatch();
    const stop = new AbortController();
    const [stopping, staying] = [dispatch.next(stop.signal), dispatch.next(never)];
    stop.abort();
    expect(await stopping).toBeNull();
    dispatch.enqueue("a", "free");
    expect(await staying).toBe("a");
    dispatch.enqueue("b", "free");
    expect(await dispatch.next(stop.signal)).toBeNull();
    expect(dispatch.waiting()).toBe(1);
  });

  it("gives a worker to the account with the fewest runs at work, however many another has queued", async () => {
    const dispatch = makeDispatch();
    for (let index = 0; index < 1_000; index += 1) dispatch.enqueue(`many ${1_000 + index}`, "many");
    for (const account of ["few", "one"]) dispatch.enqueue(`${account} 1`, account);
    dispatch.requeue("given back");
    dispatch.enqueueAwaited("awaited");
    dispatch.enqueue("few 2", "few");
    const taken: (string | null)[] = [];
    for (let index = 0; index < 7; index += 1) taken.push(await dispatch.next(never));
    expect(taken).toEqual([
      "awaited",
      "given back",
      ...["few 1", "many 1000", "one 1"],
      ...["few 2", "many 1001"],
    ]);
    dispatch.enqueue("late 1", "late");
    expect([await dispatch.next(never), await dispatch.next(never)]).toEqual(["late 1", "many 1002"]);
    expect(dispatch.waiting()).toBe(997);
  });

  it("counts what workers have, also of runs that were handed on or go first, until it has ended", async () => {
    const dispatch = makeDispatch();
    const handed = dispatch.next(never);
    dispatch.enqueue("z 1", "z");
    expect(await handed).toBe("z 1");
    const stop = dispatch.onNudge("z 1", () => {});
    dispatch.begin({ id: "z child", billingAccount: "z", startedAt: 0 });
    for (const runId of ["z 2", "z 3"]) dispatch.enqueue(runId, "z");
    for (const runId of ["b 1", "b 2", "b 3"]) dispatch.enqueue(runId, "b");
    expect([await dispatch.next(never), await dispatch.next(never)]).toEqual(["b 1", "b 2"]);
    stop();
    stop();
    expect(await dispatch.next(never)).toBe("z 2");
  });

  it("asks for the weights before each start, where several accounts wait", async () => {
    const asked: (readonly string[])[] = [];
    let weight = 3;
    const dispatch = makeDispatch(async (billingAccounts) => {
      asked.push(billingAccounts);
      return new Map([["b", weight]]);
    });
    for (let index = 0; index < 9; index += 1) dispatch.enqueue(`a ${index}`, "a");
    expect(await dispatch.next(never)).toBe("a 0");
    expect(asked).toEqual([]);
    for (let index = 0; index < 9; index += 1) dispatch.enqueue(`b ${index}`, "b");
    const take = async (count: number) => {
      let ofB = 0;
      for (let index = 0; index < count; index += 1)
        if ((await dispatch.next(never))?.startsWith("b") === true) ofB += 1;
      return ofB;
    };
    expect(await take(7)).toBe(6);
    weight = 1;
    expect(await take(4)).toBe(0);
    expect(asked).toHaveLength(11);
    expect(asked.at(-1)).toEqual(["a", "b"]);
  });

  it("loses no run to a worker that stops while the weights are read", async () => {
    const stop = new AbortController();
    const dispatch = makeDispatch(async () => {
      stop.abort();
      return new Map();
    });
    for (const account of ["a", "b"]) dispatch.enqueue(account, account);
    expect(await dispatch.next(stop.signal)).toBeNull();
    expect(dispatch.waiting()).toBe(2);
  });

  it("nudges the worker of a run while it listens", () => {
    const dispatch = makeDispatch();
    let nudges = 0;
    const stop = dispatch.onNudge("a", () => {
      nudges += 1;
    });
    dispatch.nudge("a");
    dispatch.nudge("b");
    stop();
    dispatch.nudge("a");
    expect(nudges).toBe(1);
  });
});

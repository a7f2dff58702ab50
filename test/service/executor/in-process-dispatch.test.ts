import { describe, expect, it } from "vitest";
import { InProcessDispatch } from "../../../src/service/executor/in-process-dispatch.ts";

const never = new AbortController().signal;

describe("InProcessDispatch", () => {
  it("gives runs oldest first, each to one worker", async () => {
    const dispatch = new InProcessDispatch();
    dispatch.enqueue("a", "free");
    dispatch.enqueue("b", "free");
    dispatch.enqueue("a", "free");
    expect(dispatch.waiting()).toBe(2);
    expect([await dispatch.next(never), await dispatch.next(never)]).toEqual(["a", "b"]);
    expect(dispatch.waiting()).toBe(0);
  });

  it("hands a run to the worker that has waited longest", async () => {
    const dispatch = new InProcessDispatch();
    const workers = [dispatch.next(never), dispatch.next(never)];
    dispatch.enqueue("a", "free");
    dispatch.enqueue("b", "free");
    expect(await Promise.all(workers)).toEqual(["a", "b"]);
  });

  it("gives a worker that stops nothing, and its run to the next", async () => {
    const dispatch = new InProcessDispatch();
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

  it("gives accounts turns, each its oldest run, however many another has queued", async () => {
    const dispatch = new InProcessDispatch();
    for (let index = 0; index < 1_000; index += 1) dispatch.enqueue(`many ${index}`, "many");
    for (const account of ["b", "c"])
      for (let index = 0; index < 2; index += 1) dispatch.enqueue(`${account} ${index}`, account);
    dispatch.requeue("given back");
    dispatch.enqueueAwaited("awaited");
    const taken: (string | null)[] = [];
    for (let index = 0; index < 9; index += 1) taken.push(await dispatch.next(never));
    expect(taken).toEqual([
      "awaited",
      "given back",
      ...["many 0", "b 0", "c 0"],
      ...["many 1", "b 1", "c 1"],
      "many 2",
    ]);
    dispatch.enqueue("d 0", "d");
    expect([await dispatch.next(never), await dispatch.next(never)]).toEqual(["many 3", "d 0"]);
    expect(dispatch.waiting()).toBe(996);
  });

  it("nudges the worker of a run while it listens", () => {
    const dispatch = new InProcessDispatch();
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

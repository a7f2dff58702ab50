import { describe, expect, it } from "vitest";
import { InProcessDispatch } from "../../../src/service/executor/in-process-dispatch.ts";

const never = new AbortController().signal;

describe("InProcessDispatch", () => {
  it("gives runs oldest first, each to one worker", async () => {
    const dispatch = new InProcessDispatch();
    dispatch.enqueue("a");
    dispatch.enqueue("b");
    dispatch.enqueue("a");
    expect(dispatch.waiting()).toBe(2);
    expect([await dispatch.next(never), await dispatch.next(never)]).toEqual(["a", "b"]);
    expect(dispatch.waiting()).toBe(0);
  });

  it("hands a run to the worker that has waited longest", async () => {
    const dispatch = new InProcessDispatch();
    const workers = [dispatch.next(never), dispatch.next(never)];
    dispatch.enqueue("a");
    dispatch.enqueue("b");
    expect(await Promise.all(workers)).toEqual(["a", "b"]);
  });

  it("gives a worker that stops nothing, and its run to the next", async () => {
    const dispatch = new InProcessDispatch();
    const stop = new AbortController();
    const [stopping, staying] = [dispatch.next(stop.signal), dispatch.next(never)];
    stop.abort();
    expect(await stopping).toBeNull();
    dispatch.enqueue("a");
    expect(await staying).toBe("a");
    dispatch.enqueue("b");
    expect(await dispatch.next(stop.signal)).toBeNull();
    expect(dispatch.waiting()).toBe(1);
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

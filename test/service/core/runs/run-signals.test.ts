import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { RunSignals } from "../../../../src/service/core/runs/run-signals.ts";

/** Whether a promise has been fulfilled by now. */
async function hasMoved(listener: { moved: Promise<void> }): Promise<boolean> {
  return await Promise.race([listener.moved.then(() => true), Promise.resolve().then(() => false)]);
}

describe("RunSignals", () => {
  it("wakes the waiters of the run, once, and no others", async () => {
    const signals = new RunSignals();
    const [one, two, other] = [signals.listen("a"), signals.listen("a"), signals.listen("b")];
    signals.publish("a");
    await one.moved;
    await two.moved;
    expect(await hasMoved(other)).toBe(false);
    const later = signals.listen("a");
    one.stop();
    expect(await hasMoved(later)).toBe(false);
    signals.publish("a");
    await later.moved;
  });

  it("wakes the waiters of a run's start once it has opened, unless something of it was published since", async () => {
    const signals = new RunSignals();
    const published: string[] = [];
    const told = new RunSignals({ publish: (runId) => published.push(runId) });
    signals.opening("a");
    expect([signals.isOpening("a"), signals.isOpening("b")]).toEqual([true, false]);
    const waiting = signals.listen("a");
    expect(await hasMoved(waiting)).toBe(false);
    signals.opened("a");
    await waiting.moved;
    expect(signals.isOpening("a")).toBe(false);

    told.opening("short");
    told.publish("short");
    told.opened("short");
    told.opened("never opened");
    expect(published).toEqual(["short"]);
  });

  it("knows of a run that it is taking whether it is only opening, once that has settled", async () => {
    const signals = new RunSignals();
    const take = Promise.withResolvers<{ run: { id: string } } | null>();
    const taken = signals.openingTaken(take.promise);
    const [found, other] = [signals.isFoundOpening("a"), signals.isFoundOpening("b")];
    expect(signals.isOpening("a")).toBe(false);
    take.resolve({ run: { id: "a" } });
    expect([await found, await other]).toEqual([true, false]);
    expect(await taken).toEqual({ run: { id: "a" } });

    const empty = signals.openingTaken(Promise.resolve(null));
    const failed = signals.openingTaken(Promise.reject(new Error("the store is away")));
    expect(await signals.isFoundOpening("b")).toBe(false);
    expect(await empty).toBeNull();
    await expect(failed).rejects.toThrow("the store is away");
  });

  it("ends the wait of a listener that stops", async () => {
    const signals = new RunSignals();
    const [leaving, staying] = [signals.listen("a"), signals.listen("a")];
    leaving.stop();
    leaving.stop();
    await leaving.moved;
    expect(await hasMoved(staying)).toBe(false);
    signals.publish("a");
    await staying.moved;
  });

  it("has a waiter look that may have missed a signal, and keeps that its run is only opening", async () => {
    const signals = new RunSignals();
    signals.opening("a");
    const { moved } = signals.listen("a");
    signals.wakeToLook("a");
    await moved;
    expect(signals.isOpening("a")).toBe(true);
    signals.wake("a");
    expect(signals.isOpening("a")).toBe(false);
  });

  it("wakes every waiter when it is closed, and later ones at once", async () => {
    const signals = new RunSignals();
    const waiting = [signals.listen("a"), signals.listen("b")];
    expect(signals.isClosed).toBe(false);
    signals.close();
    for (const { moved } of waiting) await moved;
    expect(signals.isClosed).toBe(true);
    await signals.listen("a").moved;
  });

  it("lets everything else have its turn between many waiters", async () => {
    const signals = new RunSignals();
    const listeners = Array.from({ length: 1_000 }, () => signals.listen("a"));
    let woken = 0;
    const all = Promise.all(
      listeners.map(({ moved }) =>
        moved.then(() => {
          woken += 1;
        }),
      ),
    );
    signals.publish("a");
    await setImmediate();
    expect(woken).toBeGreaterThan(0);
    expect(woken).toBeLessThan(listeners.length / 2);
    await all;
    expect(woken).toBe(listeners.length);
  });
});

// Waiting for a run to move: woken by a signal, and not kept busy by a service that stops.

import { describe, expect, it } from "vitest";
import { movedWithin } from "../../../../src/service/core/runs/moved-within.ts";
import { RunSignals } from "../../../../src/service/core/runs/run-signals.ts";
import { ManualClock } from "../../../support/clocks/manual-clock.ts";

describe("who waits for a run", () => {
  const { signal } = new AbortController();

  it("is woken when it moves", async () => {
    const [clock, signals] = [new ManualClock(), new RunSignals()];
    const listener = signals.listen("run");
    const waiting = movedWithin({ clock, signals }, listener, { ms: 1_000, signal });
    signals.publish("run");
    await waiting;
    listener.stop();
  });

  it("looks again only after a while once the service stops, which wakes everybody", async () => {
    const [clock, signals] = [new ManualClock(), new RunSignals()];
    signals.close();
    let hasLooked = false;
    const listener = signals.listen("run");
    const waiting = movedWithin({ clock, signals }, listener, { ms: 1_000, signal }).then(() => {
      hasLooked = true;
    });
    await clock.whenSleeping();
    expect(hasLooked).toBe(false);
    clock.advance(1_000);
    await waiting;
    expect(hasLooked).toBe(true);
    listener.stop();
  });

  it("waits no longer than its signal", async () => {
    const [clock, signals] = [new ManualClock(), new RunSignals()];
    const listener = signals.listen("run");
    await movedWithin({ clock, signals }, listener, { ms: 1_000, signal: AbortSignal.abort() });
    listener.stop();
  });
});

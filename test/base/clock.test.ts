import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";

describe("systemClock", () => {
  it("rejects a sleep with the reason of the signal that ended it, also one that came before", async () => {
    const reason = new Error("enough");
    const controller = new AbortController();
    const sleeping = systemClock.sleep(1_000_000, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    await expect(systemClock.sleep(1_000_000, controller.signal)).rejects.toBe(reason);
  });

  it("sleeps without a signal", async () => {
    const before = systemClock.now();
    await systemClock.sleep(0);
    expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  });
});

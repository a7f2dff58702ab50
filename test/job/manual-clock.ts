// A clock that a test moves: a sleep ends when the time is advanced past it.

import type { Clock } from "../../src/base/clock.ts";

export type ManualClock = Clock & { advance(ms: number): Promise<void> };

export function manualClock(): ManualClock {
  let now = 0;
  const sleepers = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason);
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      }),
    advance: async (ms) => {
      now += ms;
      for (const sleeper of [...sleepers]) {
        if (sleeper.at > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      // What woke up acts before the test goes on.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

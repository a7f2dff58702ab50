// A clock that never waits: a sleep moves the time on and is written down.

import type { Clock } from "../../../src/base/clock.ts";

export type InstantClock = Clock & { readonly sleeps: number[] };

export function instantClock(startMs = 1_750_000_000_000): InstantClock {
  const sleeps: number[] = [];
  let now = startMs;
  return {
    sleeps,
    now: () => now,
    monotonic: () => now - startMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      sleeps.push(ms);
      now += ms;
    },
  };
}

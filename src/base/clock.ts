// Time as an argument: the machine's clock, or a test's.

import { setTimeout as sleepFor } from "node:timers/promises";

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await sleepFor(ms, undefined, signal === undefined ? {} : { signal });
    } catch (cause) {
      throw signal?.aborted === true ? signal.reason : cause;
    }
  },
};

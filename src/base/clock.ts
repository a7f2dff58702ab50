// Time as an argument: the machine's clock, or a test's. No node: module, so that it also runs in a browser.

/** Time, and waiting. */
export interface Clock {
  /** Milliseconds since the epoch, for points in time. An operator or NTP may set them back. */
  now(): number;
  /** Milliseconds since a moment of its own, for intervals. Never set back. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Milliseconds until a stored moment, such as the end of a token; negative after it. To wait for something else, measure by `monotonic`. */
export function msUntil({ now }: Pick<Clock, "now">, at: number): number {
  return at - now();
}

/** Milliseconds since a stored moment. To measure an interval, use `monotonic`. */
export function msSince({ now }: Pick<Clock, "now">, at: number): number {
  return now() - at;
}

/**
 * What aborts a sleep that need not end. Without a reason of its own `abort` makes an exception with a stack, which takes
 * longer than the rest of the wait.
 */
export const WOKEN = Symbol("woken");

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => Math.trunc(performance.now()),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const wake = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
    }),
};

/** Calls `act` after `ms` by the machine's clock. What is returned stops it: a sleep that is aborted makes a promise, a signal and an event. */
export function startTimer(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}

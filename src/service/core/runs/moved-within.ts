// Waits for a signal that may be lost: whoever waits looks again after a while.

import type { Core } from "../core.ts";
import type { RunSignals } from "./run-signals.ts";

/**
 * Resolves when `listener` is woken, after `ms` at the latest, and when `signal` aborts. A service that stops wakes every listener
 * at once, while its runs still have time to end: then it takes the whole time.
 */
export async function movedWithin(
  { clock, signals }: Pick<Core, "clock" | "signals">,
  listener: ReturnType<RunSignals["listen"]>,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<void> {
  const woken = new AbortController();
  try {
    const isTime = clock.sleep(ms, AbortSignal.any([signal, woken.signal])).catch(() => {});
    await (signals.isClosed ? isTime : Promise.race([listener.moved, isTime]));
  } finally {
    woken.abort();
  }
}

// Waits for room on the disk of runs' files: a full one is the operator's to mend, and no fault of a run.

import type { Clock } from "../../base/clock.ts";
import type { Core } from "../core/core.ts";
import { StorageFullError } from "../core/ports/storage-full.ts";

const WAIT_MS = 10 * 60_000;
const RETRY_MS = 1_000;

type Waiting = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called once, when it begins to wait. */
  readonly onFull?: (cause: StorageFullError) => void;
};

/** Tells the operator, in the log, that a run waits. */
export function sayWaits({ log }: Pick<Core, "log">, runId: string): (cause: StorageFullError) => void {
  return (cause) =>
    log.warn({ run_id: runId, err: cause }, "the disk of runs' files is full: the run waits for room");
}

/**
 * Repeats `work`, which is safe to repeat, for ten minutes while it rejects with a `StorageFullError`. Rejects as its last try did, or
 * with the signal's reason.
 */
export async function untilRoom<Value>(
  work: () => Promise<Value>,
  { clock, signal, onFull }: Waiting,
): Promise<Value> {
  const begunAt = clock.monotonic();
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await work();
    } catch (cause) {
      signal.throwIfAborted();
      const isOver = clock.monotonic() - begunAt >= WAIT_MS;
      if (!(cause instanceof StorageFullError) || isOver) throw cause;
      if (isFirst) onFull?.(cause);
      await clock.sleep(RETRY_MS, signal);
    }
  }
}

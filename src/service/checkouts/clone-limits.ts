// Ends a clone that takes too long or grows too large.

import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { storedBytes } from "../../base/git/stored-bytes.ts";

const WATCH_EVERY_MS = 250;

export type CloneLimits = {
  /** Bytes that git may store for one clone. */
  readonly maxBytes: number;
  /** Bytes that the checked-out files may have together. */
  readonly maxCheckoutBytes: number;
  readonly cloneTimeoutMs: number;
  /** Bytes that all objects may have together once they are unfolded. */
  readonly maxUnfoldedBytes: number;
  /** Processor time of each process of git that unfolds them; without `prlimit`, time. */
  readonly maxCpuSeconds: number;
  /** Commits of history that are fetched. Default 50. */
  readonly historyDepth?: number;
};

/** A clone that passed a limit. `message` goes on after "Could not clone owner/name at 1a2b3c4: ". */
export class CloneLimitError extends Error {
  override readonly name = "CloneLimitError";
  readonly code: "clone_too_large" | "clone_timed_out";

  constructor(code: "clone_too_large" | "clone_timed_out", message: string) {
    super(message);
    this.code = code;
  }
}

type LimitedWork = {
  readonly limits: CloneLimits;
  readonly gitFolder: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** Does `work` under a signal that also aborts, with a `CloneLimitError`, once a limit is passed. */
export async function withinLimits<Value>(
  options: LimitedWork,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const passed = new AbortController();
  const finished = new AbortController();
  const watchers = [
    endAtDeadline(options, passed, finished.signal),
    endWhenFull(options, passed, finished.signal),
  ];
  try {
    return await work(AbortSignal.any([options.signal, passed.signal]));
  } finally {
    finished.abort();
    await Promise.allSettled(watchers);
  }
}

/** Throws when git has stored more than a clone may. */
export async function checkStoredBytes(gitFolder: string, limits: CloneLimits): Promise<void> {
  if ((await storedBytes(join(gitFolder, "objects"))) <= limits.maxBytes) return;
  const limit = megabytes(limits.maxBytes);
  throw new CloneLimitError(
    "clone_too_large",
    `its recent history is larger than the ${limit} that this service allows`,
  );
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`;
}

async function endAtDeadline(
  options: LimitedWork,
  passed: AbortController,
  finished: AbortSignal,
): Promise<void> {
  const { cloneTimeoutMs } = options.limits;
  await options.clock.sleep(cloneTimeoutMs, finished);
  const message = `it took longer than the ${cloneTimeoutMs / 1000} s that this service allows`;
  passed.abort(new CloneLimitError("clone_timed_out", message));
}

async function endWhenFull(
  options: LimitedWork,
  passed: AbortController,
  finished: AbortSignal,
): Promise<void> {
  while (!passed.signal.aborted) {
    await options.clock.sleep(WATCH_EVERY_MS, finished);
    await checkStoredBytes(options.gitFolder, options.limits).catch((cause: unknown) => passed.abort(cause));
  }
}

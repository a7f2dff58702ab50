// The queue from which an executor gets its runs. One implementation for a single process, one for several nodes.

import type { TakenRun } from "../core/runs/progress-run.ts";
import type { RunRecord } from "../core/runs/run-record.ts";

/** The id of a run to take, or a run that is taken already. */
export type RunOffer = string | TakenRun;

export interface RunQueue {
  /** The next offer, oldest first; null once `signal` aborts. Never rejects. */
  next(signal: AbortSignal): Promise<RunOffer | null>;
  /** A worker has taken the run: it counts for its billing account until nobody listens for nudges of it. */
  begin(run: Pick<RunRecord, "id" | "billingAccount" | "startedAt">): void;
  /** While a worker has the run, a nudge calls `check`. Returns how to stop that. */
  onNudge(runId: string, check: () => void): () => void;
}

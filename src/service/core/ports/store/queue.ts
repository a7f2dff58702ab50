// Runs as work: what waits for a worker, and what workers have taken. Implemented in store/queue.ts.

import type { RunStatus } from "../../../../contract/runs/run.ts";
import type { RunInput, RunRecord } from "../../runs/run-record.ts";

export interface QueueReader {
  /** Runs that wait for a worker. */
  count(): Promise<number>;
  /** Runs that a worker has taken and not ended. `heartbeatAt` is by that worker's clock. */
  listAtWork(): Promise<readonly RunAtWork[]>;
  /** Runs that have not ended, oldest first. */
  listUnfinished(): Promise<readonly { id: string; status: RunStatus }[]>;
}

export interface QueueStore extends QueueReader {
  /**
   * Takes a queued run: it is `running`, its fence one higher, its stream opened with RUN_STARTED. Null when it is not
   * queued any more.
   */
  start(start: { runId: string; now: number }): Promise<StartedRun | null>;
  /**
   * Takes the oldest queued run that no other transaction is taking, as `start` does; one whose parent waits for it
   * goes before all others. Null when there is none. Safe to race: no run is taken twice, and no caller waits.
   */
  startOldest(start: { now: number }): Promise<StartedRun | null>;
  /**
   * Records a heartbeat of every run in `runs`. Returns the states of those that are still `fence`'s. A run that
   * another transaction has locked is among them, but its heartbeat may be written at the next beat only.
   */
  beat(beat: Beat): Promise<ReadonlyMap<string, RunStatus>>;
}

export type StartedRun = { readonly run: RunRecord; readonly input: RunInput };

export type Beat = { readonly runs: readonly HeldRun[]; readonly now: number };

/** A run as its worker knows it: a higher fence means that another worker has taken it. */
export type HeldRun = { readonly runId: string; readonly fence: number };

export type RunAtWork = { readonly id: string; readonly heartbeatAt: number | null; readonly fence: number };

// The durable events of runs. Implemented in store/events.ts.

import type { RunStatus } from "../../../../contract/runs/run.ts";
import type { RunOutcome, RunRecord, StoredEvent } from "../../runs/run-record.ts";
import type { Settlement } from "./ledger.ts";
import type { HeldRun } from "./queue.ts";

export interface EventReader {
  list(query: EventQuery): Promise<readonly StoredEvent[]>;
}

/** The run as it is after its events were appended. */
export type Appended = { readonly lastSeq: number; readonly status: RunStatus };

export interface EventStore extends EventReader {
  /**
   * Appends events with the next numbers, without a gap. Null when the run is not `fence`'s any more. Counts as a
   * heartbeat.
   */
  append(batch: EventBatch): Promise<Appended | null>;
  /**
   * Appends the last events, writes `outcome` to the run and records its postings. False, and nothing done, when the run
   * is not `fence`'s any more or not as it `was`.
   */
  end(end: RunEnd): Promise<boolean>;
}

/** Events with `seq` above `after`, in order, at most `limit`. */
export type EventQuery = { readonly runId: string; readonly after: number; readonly limit: number };

export type EventBatch = HeldRun & {
  readonly now: number;
  readonly jsons: readonly string[];
};

export type RunEnd = EventBatch & {
  readonly outcome: RunOutcome;
  /** What the outcome was computed from: the caller has read it, and need not have locked it. */
  readonly was: Pick<RunRecord, "status" | "holdMicroUsd">;
  readonly settlement: Settlement;
};

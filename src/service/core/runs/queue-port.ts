// Runs as work, and their events: what waits for a worker, what workers have taken, and what they append. Implemented
// in store/queue.ts and store/events.ts.

import type { RunStatus } from "../../../contract/runs/run.ts";
import type { PlanWeights } from "../money/rates.ts";
import type { Settlement } from "../money/store-port.ts";
import type { RunInput, RunOutcome, RunRecord, StoredEvent } from "./run-record.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly events: EventReader;
    readonly queue: QueueReader;
  }
  interface StoreTransaction {
    readonly events: EventStore;
    readonly queue: QueueStore;
  }
}

interface QueueReader {
  /** Runs that wait for a worker. */
  count(): Promise<number>;
  /** When the run was submitted that waits for a worker for longest. Null where none waits. */
  findLongestWaiting(): Promise<number | null>;
  /** Billing accounts with runs that wait for a worker, those with the fewest runs at work for their weight first: `limit` of them at most. */
  listWaiting(query: WaitingQuery): Promise<readonly WaitingAccount[]>;
  /** Runs that a worker has, and has not ended: no parked ones. `heartbeatAt` is by that worker's clock. */
  listAtWork(): Promise<readonly RunAtWork[]>;
  /** The ids of runs that were given back and wait for another worker, oldest first. */
  listReleased(): Promise<readonly string[]>;
  /** The ids of parked runs that are to be tried again by `now`, those first that have waited longest: `limit` of them at most. */
  listRetriable(query: { now: number; limit: number }): Promise<readonly string[]>;
  /** The ids of parked runs whose time was over before `now`, or that have no journal. */
  listOverdue(query: { now: number }): Promise<readonly string[]>;
  /**
   * Runs among these whose journal has an entry of a newer version than this one. They are left to nodes that know it, but for
   * cancelled ones.
   */
  listNewer(version: number): Promise<readonly Pick<RunAtWork, "id" | "fence">[]>;
  /** Runs that have not ended and are not parked, oldest first. */
  listUnfinished(): Promise<readonly UnfinishedRun[]>;
}

export type WaitingQuery = { readonly limit: number; readonly weights: PlanWeights };

export type WaitingAccount = {
  readonly billingAccount: string;
  readonly queued: number;
  readonly atWork: number;
  /** Of the plan of its account, in `weights`. */
  readonly weight: number;
  /** When its oldest run that waits was submitted. */
  readonly since: number;
};

export type UnfinishedRun = Pick<RunRecord, "id" | "status" | "billingAccount">;

export interface QueueStore extends QueueReader {
  /**
   * Takes a queued run: it is `running`, its fence one higher, its stream opened with RUN_STARTED. Null when it is not
   * queued any more.
   */
  start(start: { runId: string; now: number }): Promise<StartedRun | null>;
  /**
   * Takes a queued run that no other transaction is taking, as `start` does: the oldest one of the billing account that has the fewest runs at
   * work for the weight of its plan, and of several such of the one that has waited longest for it; one whose parent waits for it goes before
   * all others. Null when there is none. Safe to race: no run is taken twice, and no caller waits.
   */
  startOldest(start: OldestStart): Promise<StartedRun | null>;
  /**
   * Takes a run that was given back, the oldest one where `runId` is null: its fence is one higher, its stream goes on. Null when
   * there is none but those of `listNewer`. Safe to race: no run is taken twice, and no caller waits.
   */
  takeReleased(take: ReleasedTake): Promise<StartedRun | null>;
  /** Gives a run back: its fence is one higher, and it waits for another worker. The caller holds its lock. Safe to repeat. */
  release(runId: string): Promise<void>;
  /** A run that ends waits for no worker. The caller holds its lock. Safe to repeat. */
  forgetReleased(runId: string): Promise<void>;
  /**
   * Records a heartbeat of every run in `runs`. Returns the states of those that are still `fence`'s. A run that
   * another transaction has locked is among them, but its heartbeat may be written at the next beat only.
   */
  beat(beat: Beat): Promise<ReadonlyMap<string, RunStatus>>;
}

/** `weights` are those of this node: each start goes by the plans that the accounts have at that moment. */
export type OldestStart = { readonly now: number; readonly weights: PlanWeights };

export type ReleasedTake = {
  readonly runId: string | null;
  readonly now: number;
  /** Of the journal that this node reads. */
  readonly version: number;
};

export type StartedRun = { readonly run: RunRecord; readonly input: RunInput };

export type Beat = { readonly runs: readonly HeldRun[]; readonly now: number };

/** A run as its worker knows it: a higher fence means that another worker has taken it. */
export type HeldRun = { readonly runId: string; readonly fence: number };

export type RunAtWork = { readonly id: string; readonly heartbeatAt: number | null; readonly fence: number };

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
  /** The state that the outcome was computed from: the caller has read it, and need not have locked it. */
  readonly was: Pick<RunRecord, "status" | "holdMicroUsd">;
  readonly settlement: Settlement;
};

// Runs, what they reserve of a day and their expiry, as the core reads them and as whoever holds a run's lock changes them.
// Implemented in store/: runs.ts, cost-reservations.ts and expiry.ts.

import type { ParkReason, RunCause, RunOrigin, RunStatus } from "../../../contract/runs/run.ts";
import type { KeyUse } from "../idempotency/store-port.ts";
import type { Hold } from "../money/posting.ts";
import type { PageQuery } from "../ports/page.ts";
import type { CancelCause } from "./run-machine.ts";
import type { ParkedState, RunDelivery, RunInput, RunRecord } from "./run-record.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly runs: RunReader;
  }
  interface StoreTransaction {
    readonly runs: RunStore;
    readonly costReservations: CostReservationStore;
    readonly expiry: ExpiryStore;
  }
}

export interface RunReader {
  find(id: string): Promise<RunRecord | null>;
  /** A run's input. Null when it is not kept any more. */
  findInput(runId: string): Promise<RunInput | null>;
  /** An agent's runs, or those of one session, newest first. */
  list(query: RunQuery): Promise<readonly RunRecord[]>;
  /** Runs of every agent, newest first. */
  listAll(query: AllRunsQuery): Promise<readonly RunOfAgent[]>;
  /** Runs that have not ended, and those that have ended since `since`, of all accounts. */
  countAll(query: { readonly since: number }): Promise<RunCounts>;
  /** Runs of these accounts' agents that were submitted from `since` on, by account. Those without any are left out. */
  countSubmitted(query: {
    readonly accountIds: readonly string[];
    readonly since: number;
  }): Promise<ReadonlyMap<string, number>>;
  /** Runs of these agents, newest first: of each agent only as many are read as are asked for. */
  listOfAgents(query: AgentsRunQuery): Promise<readonly RunRecord[]>;
  /** A session's runs in the order of their commits. */
  listOfSession(query: SessionRunQuery): Promise<readonly RunRecord[]>;
  /** A session's runs in the opposite order. */
  listOfSessionBefore(query: EarlierRunQuery): Promise<readonly RunRecord[]>;
  /** Runs of an account's agents that ended with a question, or wait for its answer, and are the last of their session, newest first. */
  listQuestions(query: QuestionQuery): Promise<readonly RunRecord[]>;
  /** Runs of an account's agents that have not ended and are not parked. Delegated runs are part of their parent and not counted. */
  countUnfinished(accountId: string): Promise<number>;
  /** The parked run of a session, or null. */
  findParked(sessionId: string): Promise<RunRecord | null>;
  /** The ids of an agent's runs that have not ended, oldest first. */
  listUnfinishedOfAgent(agentId: string): Promise<readonly string[]>;
  /** A run's children, oldest first. */
  listChildren(query: { runId: string; limit: number }): Promise<readonly RunRecord[]>;
  /** The ids of a run's children that have not ended, oldest first. */
  listUnfinishedChildren(runId: string): Promise<readonly string[]>;
}

export interface RunStore extends RunReader {
  /** Makes the run's session, too, where there is none. */
  insert(run: RunRecord, input: RunInput): Promise<void>;
  /**
   * Inserts a run, holds its price and records the use of its idempotency key. A refusal has to undo the transaction,
   * unless this was its only write: then nothing is written. To be the last write: spenders of the same credits wait
   * from here until the commit.
   */
  admit(admission: Admission): Promise<Admitted>;
  /** Reads a run. No other transaction changes it until this one ends. */
  lock(id: string): Promise<RunRecord | null>;
  /** Writes the fields of `change`; the caller holds the run's lock. A run ends by `events.append` only. */
  update(id: string, change: RunUpdate): Promise<void>;
  /** Writes a run's input anew; the caller holds the run's lock. */
  updateInput(runId: string, input: RunInput): Promise<void>;
}

export type Admission = {
  readonly run: RunRecord;
  readonly input: RunInput;
  readonly hold: Hold;
  /** Null for a submission without one. */
  readonly key: KeyUse | null;
};

/** `unpaid`: the billing account has not enough credits. `key_taken`: another request used the key at the same time. */
export type Admitted = "admitted" | "unpaid" | "key_taken";

export type RunQuery = {
  readonly agentId: string;
  /** With null those of every session. */
  readonly sessionId: string | null;
  /** The id of a run; only those before it. With null from the newest on. */
  readonly before: string | null;
  readonly limit: number;
};

/** With null, or left out, everything of that kind. */
export type AllRunsQuery = PageQuery & {
  readonly accountId: string | null;
  readonly agentId: string | null;
  readonly status: RunStatus | null;
  readonly state?: RunState | null;
  readonly origin?: RunOrigin | null;
  /** The repository of its agent, as it is called now. */
  readonly repositoryName?: string | null;
  /** Only these runs. */
  readonly ids?: readonly string[] | null;
};

/** Runs of all accounts. */
export type RunCounts = {
  /** Those that have not ended. A parked run is waiting. */
  readonly unfinished: Readonly<Record<"queued" | "running" | "waiting", number>>;
  /** Those that ended since then. */
  readonly ended: readonly {
    readonly status: RunStatus;
    readonly cause: RunCause | null;
    readonly count: number;
  }[];
};

/** By what people look for runs. A parked run is waiting, and not running. */
export const runStates = ["queued", "running", "waiting", "completed", "failed", "cancelled"] as const;
export type RunState = (typeof runStates)[number];

/** With null everything of that kind. */
export type RunFilter = {
  readonly state: RunState | null;
  readonly origin: RunOrigin | null;
  /** Who started the job that asked for it, by the code host's id. */
  readonly startedBy: string | null;
};

/** At most a hundred agents. */
export type AgentsRunQuery = PageQuery & RunFilter & { readonly agentIds: readonly string[] };

export type RunOfAgent = {
  readonly run: RunRecord;
  readonly agentName: string;
  /** Null where no account has claimed the agent. */
  readonly accountId: string | null;
};

export type QuestionQuery = {
  readonly accountId: string;
  /** With null those of every agent. */
  readonly agentId: string | null;
  /** The id of a run; only those before it. */
  readonly before: string | null;
  readonly limit: number;
};

export type SessionRunQuery = {
  readonly sessionId: string;
  /** The id of a run; only those after it. With null from the first on. */
  readonly after: string | null;
  readonly limit: number;
};

export type EarlierRunQuery = {
  readonly sessionId: string;
  /** The id of a run; only those before it. */
  readonly before: string;
  readonly limit: number;
};

/** Changes of a run before its end. */
export type RunUpdate = {
  readonly status?: "cancelling";
  /** Of a run that is cancelling: what it ends with. */
  readonly cause?: CancelCause;
  readonly holdMicroUsd?: number;
  readonly fence?: number;
  /** Null: it is not parked any more. */
  readonly parked?: ParkedState | null;
  /** Of a parked run, which is found by it. Null: it goes on. */
  readonly stopReason?: ParkReason | null;
  readonly delivery?: RunDelivery | null;
};

export type CostReservation = {
  readonly runId: string;
  readonly agentId: string;
  /** With the person: the cap is theirs. Left out: it is the agent's. */
  readonly accountId?: string;
  readonly personId?: string;
  /** `2026-11-22`, UTC. */
  readonly day: string;
  /** Of that day. */
  readonly microUsd: number;
  /** What the run had cost before that day: it was parked since. */
  readonly beforeMicroUsd: number;
  readonly expiresAt: number;
};

/** `usage` of a parked run is what it has used so far. */
export type ReservedRun = Pick<RunRecord, "status" | "startedAt" | "usage"> & {
  readonly runId: string;
  readonly isParked: boolean;
  readonly reservedMicroUsd: number;
  readonly beforeMicroUsd: number;
};

export interface CostReservationStore {
  /** Takes the place of the run's earlier one. */
  put(reservation: CostReservation): Promise<void>;
  /**
   * The runs of a day under the agent's cap, or under the person's in the account, with what each may cost. The caller has locked the
   * agent, or the account: no other transaction adds one.
   */
  list(
    day: Pick<CostReservation, "agentId" | "accountId" | "personId" | "day">,
  ): Promise<readonly ReservedRun[]>;
}

export interface ExpiryStore {
  /**
   * Deletes inputs and events of runs that ended before `endedBefore`, and their archives: about `maxEvents` events, whole runs where that
   * is enough. A run has expired from its first deleted event on. Returns how many runs it touched: 0 when nothing is
   * left. Safe to race.
   */
  deleteRunContent(batch: { endedBefore: number; maxEvents: number; now: number }): Promise<number>;
  /**
   * The same for the runs of one agent that was deleted before `deletedBefore`, but for those in workspaces. Returns 0 when no
   * such agent is left. Safe to race.
   */
  eraseDeletedAgent(batch: { deletedBefore: number; maxEvents: number; now: number }): Promise<number>;
  /**
   * Deletes tokens, capabilities, keys, tickets and secrets of runs that ended before `now`, and audit entries before `auditedBefore`: of
   * each the oldest, about `limit`. Returns how many: 0 when nothing is left.
   */
  deleteExpired(step: { now: number; auditedBefore: number; limit: number }): Promise<number>;
}

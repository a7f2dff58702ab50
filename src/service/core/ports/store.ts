// The port to whatever keeps the service's state. Implemented in store/, once, for SQLite and PostgreSQL.

import type { RunStatus } from "../../../contract/run.ts";
import type { JobIdentity } from "../job-identity.ts";
import type {
  Agent,
  AuditEntry,
  Capability,
  ClaimTicket,
  Posting,
  RunInput,
  RunRecord,
  Session,
  StoredEvent,
} from "../records.ts";

export interface Store {
  /** Committed state. */
  readonly committed: StoreReader;
  /**
   * Runs `work` in one transaction and resolves once its effect survives a crash. A throw undoes all of it.
   * `work` may run again after a conflict with another node: it has no effects but through its argument.
   */
  transact<Value>(work: (transaction: StoreTransaction) => Promise<Value>): Promise<Value>;
  /** Rejects when the store cannot answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreReader {
  findCapability(hash: string): Promise<Capability | null>;
  findAgent(id: string): Promise<Agent | null>;
  findRun(id: string): Promise<RunRecord | null>;
  /** Events with `seq` above `after`, in order, at most `limit`. */
  listEvents(query: { runId: string; after: number; limit: number }): Promise<readonly StoredEvent[]>;
  /** Runs that have not ended, oldest first. */
  listUnfinishedRuns(): Promise<readonly { id: string; status: RunStatus }[]>;
  /** Null where the account was never granted anything. */
  findBalance(account: string): Promise<number | null>;
  findClaimTicket(hash: string): Promise<ClaimTicket | null>;
}

export interface StoreTransaction extends StoreReader {
  /** The repository's agent, made on first use; a changed name or visibility is taken over. Safe to race. */
  upsertAgent(candidate: { id: string; job: JobIdentity; backend: string; now: number }): Promise<Agent>;

  /** False when this token was claimed before. Safe to race: one caller gets true. */
  claimToken(token: { issuer: string; replayKey: string; usableUntil: number }): Promise<boolean>;
  insertCapability(capability: Capability): Promise<void>;
  revokeCapability(revocation: { hash: string; now: number }): Promise<void>;
  insertClaimTicket(ticket: ClaimTicket): Promise<void>;
  insertAuditEntry(entry: AuditEntry): Promise<void>;

  insertSession(session: Session): Promise<void>;
  findSession(id: string): Promise<Session | null>;

  /** The live use of a key, or null. */
  findIdempotentRun(query: { agentId: string; key: string; now: number }): Promise<IdempotentRun | null>;
  /** False when the key is in use by another request of the same moment. */
  insertIdempotentRun(use: IdempotentRun & { agentId: string; key: string; now: number }): Promise<boolean>;

  insertRun(run: RunRecord, input: RunInput): Promise<void>;
  /** Takes a queued run: it is `running`, its fence one higher. Null when it is not queued any more. */
  startRun(start: { runId: string; now: number }): Promise<{ run: RunRecord; input: RunInput } | null>;
  /** Reads a run and keeps every other transaction from changing it until this one ends. */
  lockRun(runId: string): Promise<RunRecord | null>;
  /** Writes the fields of `change`; the caller holds the run's lock. */
  updateRun(runId: string, change: RunChange): Promise<void>;
  /**
   * Appends events with the next numbers, gapless. Null when the run is not `fence`'s any more. Also counts as a
   * heartbeat.
   */
  appendEvents(batch: {
    runId: string;
    fence: number;
    now: number;
    jsons: readonly string[];
  }): Promise<{ lastSeq: number; status: RunStatus } | null>;
  /** Null when the run is not `fence`'s any more. */
  heartbeat(beat: { runId: string; fence: number; now: number }): Promise<RunStatus | null>;

  /**
   * Records a posting. False, and nothing done, when it would take a payer's account below zero
   * (see `isPayer` in core/ledger.ts).
   */
  post(posting: Posting): Promise<boolean>;
  /** Opens a payer's account with a balance of 0. False when it is open. Safe to race. */
  openAccount(account: string): Promise<boolean>;

  /** Deletes tokens, capabilities, keys and tickets that ended before `now`, and audit entries before `auditedBefore`. Returns how many. */
  deleteExpired(before: { now: number; auditedBefore: number }): Promise<number>;
}

export type IdempotentRun = {
  readonly runId: string;
  readonly threadId: string;
  /** SHA-256 of the request that the key was first used for. */
  readonly requestHash: string;
  readonly expiresAt: number;
};

export type RunChange = Partial<
  Pick<
    RunRecord,
    | "status"
    | "startedAt"
    | "endedAt"
    | "cause"
    | "retryable"
    | "stopReason"
    | "tokens"
    | "modelCalls"
    | "grossMicroUsd"
    | "refundedMicroUsd"
    | "refundReason"
    | "fence"
  >
>;

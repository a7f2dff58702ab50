// The port to whatever keeps the service's state. Implemented in store/, once, for SQLite and PostgreSQL.

import type { RunStatus } from "../../../contract/run.ts";
import type { JobIdentity } from "../job-identity.ts";
import type {
  Account,
  Agent,
  ApiKey,
  AuditEntry,
  Capability,
  ClaimTicket,
  PendingClaim,
  Posting,
  RunInput,
  RunRecord,
  Session,
  StoredEvent,
  WorkflowRecord,
} from "../records.ts";
import type { ScheduleMove, ScheduleRecord } from "../schedule-machine.ts";

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
  findAccount(id: string): Promise<Account | null>;
  countAccounts(): Promise<number>;
  findApiKey(hash: string): Promise<ApiKey | null>;
  /** An account's keys, or everybody's, oldest first. */
  listApiKeys(accountId: string | null): Promise<readonly ApiKey[]>;
  findAgent(id: string): Promise<Agent | null>;
  /** Newest first. Independent agents only where asked for. */
  listAgents(query: { accountId: string; withIndependent: boolean }): Promise<readonly Agent[]>;
  /** An account's agents that are not retired. */
  countAgents(accountId: string): Promise<number>;
  findSession(id: string): Promise<Session | null>;
  findRun(id: string): Promise<RunRecord | null>;
  /** Events with `seq` above `after`, in order, at most `limit`. */
  listEvents(query: { runId: string; after: number; limit: number }): Promise<readonly StoredEvent[]>;
  /** An agent's runs, newest first: those before the run `before`, at most `limit`. */
  listRuns(query: { agentId: string; before: string | null; limit: number }): Promise<readonly RunRecord[]>;
  /** A session's runs in the order of their commits: those after the run `after`, at most `limit`. */
  listRunsOfSession(query: {
    sessionId: string;
    after: string | null;
    limit: number;
  }): Promise<readonly RunRecord[]>;
  /** Runs of an account's agents that have not ended. */
  countUnfinishedRuns(accountId: string): Promise<number>;
  /** The ids of an agent's runs that have not ended, oldest first. */
  listUnfinishedRunsOf(agentId: string): Promise<readonly string[]>;
  /** Runs that wait for a worker. */
  countQueuedRuns(): Promise<number>;
  /** Runs that a worker has taken and not ended. `heartbeatAt` is by that worker's clock. */
  listRunsAtWork(): Promise<readonly RunAtWork[]>;
  /** Runs that have not ended, oldest first. */
  listUnfinishedRuns(): Promise<readonly { id: string; status: RunStatus }[]>;
  /** Null where the account was never granted anything. */
  findBalance(account: string): Promise<number | null>;
  findClaimTicket(hash: string): Promise<ClaimTicket | null>;
  findPendingClaim(query: { agentId: string; accountId: string; now: number }): Promise<PendingClaim | null>;
  /** True while any account's claim waits. */
  hasPendingClaim(query: { agentId: string; now: number }): Promise<boolean>;
  findSchedule(id: string): Promise<ScheduleRecord | null>;
  /** Newest first. */
  listSchedules(agentId: string): Promise<readonly ScheduleRecord[]>;
  /** Schedules that are pending or firing and due by `now`, the longest due first. */
  listDueSchedules(query: { now: number; limit: number }): Promise<readonly string[]>;
  /** The earliest due time of a schedule that is pending or firing. */
  findNextDueAt(): Promise<number | null>;
  /** The agent's newest session. */
  findLatestSession(agentId: string): Promise<Session | null>;
  findWorkflow(id: string): Promise<WorkflowRecord | null>;
  findWorkflowPrompt(query: { id: string; version: number }): Promise<string | null>;
}

export interface StoreTransaction extends StoreReader {
  insertAccount(account: Account): Promise<void>;
  /** Keeps every other transaction from making agents of this account until this one ends. */
  lockAccount(id: string): Promise<Account | null>;
  insertApiKey(key: ApiKey): Promise<void>;
  /** False when there is no such key, or it is revoked already. */
  revokeApiKey(revocation: { id: string; now: number }): Promise<boolean>;
  touchApiKey(use: { hash: string; now: number }): Promise<void>;

  insertAgent(agent: Agent): Promise<void>;
  /** The account's oldest agent of this name that is not retired. */
  findAgentByName(query: { accountId: string; name: string }): Promise<Agent | null>;
  updateAgent(id: string, change: AgentChange): Promise<void>;
  /** Reads an agent and keeps every other transaction from changing it until this one ends. */
  lockAgent(id: string): Promise<Agent | null>;
  /** The repository's agent, made on first use; a changed name or visibility is taken over. Safe to race. */
  upsertAgent(candidate: { id: string; job: JobIdentity; backend: string; now: number }): Promise<Agent>;

  /** False when this token was claimed before. Safe to race: one caller gets true. */
  claimToken(token: { issuer: string; replayKey: string; usableUntil: number }): Promise<boolean>;
  insertCapability(capability: Capability): Promise<void>;
  revokeCapability(revocation: { hash: string; now: number }): Promise<void>;
  insertClaimTicket(ticket: Omit<ClaimTicket, "usedBy">): Promise<void>;
  /** False when another account used it. From now on it ends at `expiresAt`. Safe to race. */
  useClaimTicket(use: { hash: string; accountId: string; expiresAt: number }): Promise<boolean>;
  /** Makes a claim, or gives it a later end. */
  putPendingClaim(claim: PendingClaim): Promise<void>;
  /** Gives an agent to an account and ends every claim that waits for it. False when the agent has an account. */
  claimAgent(claim: { agentId: string; accountId: string }): Promise<boolean>;
  insertAuditEntry(entry: AuditEntry): Promise<void>;

  insertSession(session: Session): Promise<void>;

  /** The live use of a key, or null. */
  findIdempotentRun(query: { agentId: string; key: string; now: number }): Promise<IdempotentRun | null>;
  /** False when the key is in use by another request of the same moment. */
  insertIdempotentRun(use: IdempotentRun & { agentId: string; key: string; now: number }): Promise<boolean>;

  insertRun(run: RunRecord, input: RunInput): Promise<void>;
  /** Takes a queued run: it is `running`, its fence one higher. Null when it is not queued any more. */
  startRun(start: { runId: string; now: number }): Promise<{ run: RunRecord; input: RunInput } | null>;
  /**
   * Takes the oldest queued run that no other transaction is taking, as `startRun` does. Null when there is none.
   * Safe to race: no run is taken twice, and nobody waits.
   */
  startOldestRun(start: { now: number }): Promise<{ run: RunRecord; input: RunInput } | null>;
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

  insertWorkflow(workflow: WorkflowRecord): Promise<void>;
  /** Adds the next version, whose number the caller has made sure of by the workflow's `version`. */
  insertWorkflowVersion(next: { id: string; version: number; prompt: string; now: number }): Promise<void>;
  activateWorkflow(activation: { id: string; version: number; now: number }): Promise<void>;

  insertSchedule(schedule: ScheduleRecord): Promise<void>;
  /** Reads a schedule and keeps every other transaction from changing it until this one ends. */
  lockSchedule(id: string): Promise<ScheduleRecord | null>;
  /** Null, and nothing changed, when the schedule is not as the move says any more. Safe to race: one caller moves it. */
  moveSchedule(move: ScheduleMove): Promise<ScheduleRecord | null>;
  /** `dispatched → done` for the schedule that became this run, which has ended. */
  finishSchedule(runId: string): Promise<void>;
  /** Makes the schedules that are in the middle of firing due at once. Returns how many. */
  retakeFiringSchedules(now: number): Promise<number>;

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

export type RunAtWork = { readonly id: string; readonly heartbeatAt: number | null; readonly fence: number };

export type AgentChange = Partial<Pick<Agent, "accountId" | "advisorMaxSpendMicroUsd" | "retiredAt">>;

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

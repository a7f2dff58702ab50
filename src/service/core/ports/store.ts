// The port to whatever keeps the service's state. Implemented in store/, once, for SQLite and PostgreSQL.

import type { RunStatus } from "../../../contract/runs/run.ts";
import type { JobIdentity } from "../ci/job-identity.ts";
import type {
  Account,
  Agent,
  ApiKey,
  AuditEntry,
  Capability,
  CarriedChanges,
  ClaimTicket,
  PendingClaim,
  Posting,
  RunInput,
  RunRecord,
  Session,
  SessionKey,
  StoredEvent,
  WorkflowRecord,
} from "../records.ts";
import type { ScheduleMove, ScheduleRecord } from "../schedules/schedule-machine.ts";

export interface Store {
  /** Committed state. */
  readonly committed: StoreReader;
  /**
   * Runs `work` in one transaction and resolves once its effect survives a crash. A throw undoes all of it.
   * `work` may run again after a conflict with another node: it has no effects but through its argument.
   */
  transact<Value>(
    work: (transaction: StoreTransaction) => Promise<Value>,
    options?: TransactOptions,
  ): Promise<Value>;
  /** Rejects when the store cannot answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type TransactOptions = {
  /**
   * The work is a single call of `appendEvents`, `beat`, `startRun` or `startOldestRun`, which are whole by themselves:
   * where a store is a round trip away, it need not be told of a beginning and an end.
   */
  readonly isOneWrite?: boolean;
};

export interface StoreReader {
  findCapability(hash: string): Promise<Capability | null>;
  findAccount(id: string): Promise<Account | null>;
  countAccounts(): Promise<number>;
  /** The ids of accounts whose subscription goes on and whose period has ended by `now`, the longest ago first. */
  listDueAccounts(query: { now: number; limit: number }): Promise<readonly string[]>;
  findApiKey(hash: string): Promise<ApiKey | null>;
  /** An account's keys, or everybody's, oldest first. */
  listApiKeys(accountId: string | null): Promise<readonly ApiKey[]>;
  findAgent(id: string): Promise<Agent | null>;
  /** Newest first. Independent agents only where asked for. */
  listAgents(query: { accountId: string; withIndependent: boolean }): Promise<readonly Agent[]>;
  /** An account's agents that are not retired. */
  countAgents(accountId: string): Promise<number>;
  findSession(id: string): Promise<Session | null>;
  /** The session that an agent's callers know by this key. Null where it is free. */
  findSessionByKey(query: { agentId: string; key: string }): Promise<string | null>;
  /** What the session's last run left changed. Null where it left nothing. */
  findCarriedChanges(sessionId: string): Promise<CarriedChanges | null>;
  findRun(id: string): Promise<RunRecord | null>;
  /** What a run was asked. Null when it is not kept any more. */
  findRunInput(runId: string): Promise<RunInput | null>;
  /** Events with `seq` above `after`, in order, at most `limit`. */
  listEvents(query: { runId: string; after: number; limit: number }): Promise<readonly StoredEvent[]>;
  /** An agent's runs, or those of one session, newest first: those before the run `before`, at most `limit`. */
  listRuns(query: {
    agentId: string;
    threadId: string | null;
    before: string | null;
    limit: number;
  }): Promise<readonly RunRecord[]>;
  /** A session's runs in the order of their commits: those after the run `after`, at most `limit`. */
  listRunsOfSession(query: {
    sessionId: string;
    after: string | null;
    limit: number;
  }): Promise<readonly RunRecord[]>;
  /** A session's runs in the opposite order: those before the run `before`, at most `limit`. */
  listRunsOfSessionBefore(query: {
    sessionId: string;
    before: string;
    limit: number;
  }): Promise<readonly RunRecord[]>;
  /** Runs of an account's agents that have not ended; those that a run delegated are a part of it, and not counted. */
  countUnfinishedRuns(accountId: string): Promise<number>;
  /** The ids of an agent's runs that have not ended, oldest first. */
  listUnfinishedRunsOf(agentId: string): Promise<readonly string[]>;
  /** The ids of a run's children that have not ended, oldest first. */
  listUnfinishedChildren(runId: string): Promise<readonly string[]>;
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
  /** An agent's workflows, oldest first. */
  listWorkflows(agentId: string): Promise<readonly WorkflowRecord[]>;
  findWorkflowPrompt(query: { id: string; version: number }): Promise<string | null>;
}

export interface StoreTransaction extends StoreReader {
  insertAccount(account: Account): Promise<void>;
  /** Keeps every other transaction from making agents of this account until this one ends. */
  lockAccount(id: string): Promise<Account | null>;
  /** Writes an account's plan and subscription; the caller holds its lock. */
  updateAccount(account: Account): Promise<void>;
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
  /** False when the key is taken. Safe to race: one caller gets true, once the others are done. */
  insertSessionKey(key: SessionKey): Promise<boolean>;
  /** Frees one key, if it is taken. */
  deleteSessionKey(name: { agentId: string; key: string }): Promise<void>;
  /** Frees every key of an agent. Their sessions stay. Returns how many. */
  deleteSessionKeys(agentId: string): Promise<number>;
  /** In the place of what was there. */
  putCarriedChanges(copy: CarriedChanges): Promise<void>;

  /** The live use of a key, or null. */
  findIdempotentRun(query: { agentId: string; key: string; now: number }): Promise<IdempotentRun | null>;
  /** False when the key is in use by another request of the same moment. */
  insertIdempotentRun(use: IdempotentRun & { agentId: string; key: string; now: number }): Promise<boolean>;

  /** Makes the run's session, too, where there is none. */
  insertRun(run: RunRecord, input: RunInput): Promise<void>;
  /**
   * Takes a queued run: it is `running`, its fence one higher, its stream opened with RUN_STARTED. Null when it is not
   * queued any more.
   */
  startRun(start: { runId: string; now: number }): Promise<StartedRun | null>;
  /**
   * Takes the oldest queued run that no other transaction is taking, as `startRun` does: one that another run waits
   * for, if there is one. Null when there is none.
   * Safe to race: no run is taken twice, and nobody waits.
   */
  startOldestRun(start: { now: number }): Promise<StartedRun | null>;
  /** Reads a run and keeps every other transaction from changing it until this one ends. */
  lockRun(runId: string): Promise<RunRecord | null>;
  /** Writes the fields of `change`; the caller holds the run's lock. */
  updateRun(runId: string, change: RunChange): Promise<void>;
  /**
   * Appends events with the next numbers, gapless, and writes what changes with them. Null when the run is not
   * `fence`'s any more. Also counts as a heartbeat.
   */
  appendEvents(batch: EventBatch): Promise<{ lastSeq: number; status: RunStatus } | null>;
  /**
   * Says of all of `runs` that their worker lives. Returns the states of those that are `fence`'s still; one that
   * another transaction has locked is among them, though it may not be written to until the next beat.
   */
  beat(beat: { runs: readonly HeldRun[]; now: number }): Promise<ReadonlyMap<string, RunStatus>>;

  /**
   * Records a posting. False, and nothing done, when it would take a billing account's account below zero
   * (see `isBillingAccount` in core/ledger.ts).
   */
  post(posting: Posting): Promise<boolean>;
  /** Records postings that take nothing from a billing account. Returns the balance of `billingAccount` after them. */
  settle(settlement: { billingAccount: string; postings: readonly Posting[] }): Promise<number>;
  /** Opens a billing account's account with a balance of 0. False when it is open. Safe to race. */
  openAccount(account: string): Promise<boolean>;

  insertWorkflow(workflow: WorkflowRecord): Promise<void>;
  /** Adds the next version, whose number the caller has made sure of by the workflow's `version`. */
  insertWorkflowVersion(next: { id: string; version: number; prompt: string; now: number }): Promise<void>;
  activateWorkflow(activation: { id: string; version: number; now: number }): Promise<void>;
  /** Reads a workflow and keeps every other transaction from changing it until this one ends. */
  lockWorkflow(id: string): Promise<WorkflowRecord | null>;
  renameWorkflow(change: { id: string; name: string }): Promise<void>;
  /** Leaves none of an agent's workflows active. */
  deactivateWorkflows(change: { agentId: string; now: number }): Promise<void>;

  insertSchedule(schedule: ScheduleRecord): Promise<void>;
  /** Reads a schedule and keeps every other transaction from changing it until this one ends. */
  lockSchedule(id: string): Promise<ScheduleRecord | null>;
  /** Null, and nothing changed, when the schedule is not as the move says any more. Safe to race: one caller moves it. */
  moveSchedule(move: ScheduleMove): Promise<ScheduleRecord | null>;
  /** `dispatched → done` for the schedule that became this run, which has ended. */
  finishSchedule(runId: string): Promise<void>;
  /** Makes the schedules that are in the middle of firing due at once. Returns how many. */
  retakeFiringSchedules(now: number): Promise<number>;

  /**
   * Deletes inputs and events of runs that ended before `endedBefore`, about `maxEvents` of them, whole runs where
   * that is enough. A run has expired from the first step on. Returns how many runs it touched: 0 when nothing is
   * left. Safe to race.
   */
  deleteRunContent(batch: { endedBefore: number; maxEvents: number }): Promise<number>;

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

export type StartedRun = { readonly run: RunRecord; readonly input: RunInput };

export type HeldRun = { readonly runId: string; readonly fence: number };

export type EventBatch = HeldRun & {
  readonly now: number;
  readonly jsons: readonly string[];
  readonly change?: RunChange;
};

export type RunAtWork = { readonly id: string; readonly heartbeatAt: number | null; readonly fence: number };

export type AgentChange = Partial<
  Pick<Agent, "accountId" | "advisorMaxSpendMicroUsd" | "ciPolicy" | "retiredAt">
>;

export type RunChange = Partial<
  Pick<
    RunRecord,
    | "status"
    | "startedAt"
    | "endedAt"
    | "cause"
    | "retryable"
    | "stopReason"
    | "holdMicroUsd"
    | "usage"
    | "grossMicroUsd"
    | "refundedMicroUsd"
    | "refundReason"
    | "fence"
  >
>;

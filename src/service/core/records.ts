// What the service keeps, as the core sees it. Times are milliseconds since the epoch, money is micro-USD. Pure.

import type { CiPolicy } from "../../contract/agents/ci-policy.ts";
import type { Visibility } from "../../contract/ci/exchange.ts";
import type { Message, RunCause, RunOrigin, RunStatus } from "../../contract/runs/run.ts";
import type { JobIdentity } from "./ci/job-identity.ts";
import type { Usage } from "./runs/usage.ts";

export const plans = ["registered_free", "subscribed"] as const;
export type Plan = (typeof plans)[number];

/** "past_due": what was owed is not paid, so it does not renew. */
export const subscriptionStatuses = ["active", "past_due", "cancelled"] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** What an account pays by the month, at the terms that it began with or was last set to. */
export type Subscription = {
  readonly id: string;
  /** One of the rates' subscriptions. */
  readonly sku: string;
  readonly monthlyCredits: number;
  readonly status: SubscriptionStatus;
  readonly startedAt: number;
  /** Counts the months since then, from 0. */
  readonly period: number;
  readonly periodEnd: number;
  readonly cancelAtPeriodEnd: boolean;
};

/** Who owns agents and pays for their runs. */
export type Account = {
  readonly id: string;
  readonly plan: Plan;
  readonly createdAt: number;
  /** The latest, also when it has ended; null where there never was one. */
  readonly subscription: Subscription | null;
};

/**
 * The two caller classes: the owner in person, or an AI client that acts for the owner and may not approve what only
 * a person should.
 */
export const callerClasses = ["owner", "ai_client"] as const;
export type CallerClass = (typeof callerClasses)[number];

/** A long-lived credential of an account, as stored: the secret itself is not here. */
export type ApiKey = {
  readonly id: string;
  readonly hash: string;
  readonly accountId: string;
  readonly callerClass: CallerClass;
  /** What its owner calls it. */
  readonly name: string;
  /** The secret's last characters, to tell keys apart. */
  readonly hint: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
};

/** The repository that an agent works on. */
export type AgentRepository = {
  readonly provider: string;
  readonly issuer: string;
  readonly id: string;
  readonly ownerId: string;
  /** The latest name seen. A label, never a key. */
  readonly name: string;
  readonly visibility: Visibility;
};

export type Agent = {
  readonly id: string;
  /** The owning account; null until a repository's agent is claimed. */
  readonly accountId: string | null;
  /** Get-or-create key within the account. */
  readonly name: string;
  readonly kind: "independent" | null;
  /** Null: the router's default. */
  readonly model: string | null;
  /** The owner's, opaque to us. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Micro-USD a turn; 0 stops the advisor, null is no cap. */
  readonly advisorMaxSpendMicroUsd: number | null;
  /** Which CI jobs may run it. Null: all of its repository's. Only a repository's agent that is claimed has one. */
  readonly ciPolicy: CiPolicy | null;
  /** Null for an agent that was made by name. */
  readonly repository: AgentRepository | null;
  readonly backend: string;
  readonly createdAt: number;
  /** Set once it takes no more work. */
  readonly retiredAt: number | null;
};

/** A short-lived right to run one repository's agent, as stored: the secret itself is not here. */
export type Capability = {
  readonly hash: string;
  readonly agentId: string;
  readonly job: JobIdentity;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
};

export type Session = { readonly id: string; readonly agentId: string; readonly createdAt: number };

/** What a session's last run left changed in its repository: the next one begins with it. */
export type CarriedChanges = {
  readonly sessionId: string;
  readonly runId: string;
  /** The commit that the patch is against. */
  readonly baseSha: string;
  readonly patch: string;
};

/** A name of a session that its agent's callers chose. */
export type SessionKey = {
  readonly agentId: string;
  readonly key: string;
  /** The session, made by the run that is first to use the key. */
  readonly threadId: string;
  readonly createdAt: number;
};

/** The pull request that a run works on, in the repository of the job that asked. */
export type PullRequestHead = {
  readonly number: number;
  /** The provider's ref of it, which moves as the pull request does: `refs/pull/7/head`. */
  readonly headRef: string;
  /** The commit that was asked for. */
  readonly headSha: string;
  /** The branch that it goes to, by its plain name. */
  readonly baseRef: string;
};

/** What a run was asked, and on what. Read once, when it starts. */
export type RunInput = {
  readonly messages: readonly Message[];
  readonly maxTurnTokens: number;
  /** The JSON Schema that the reply has to fit. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** The CI job that asked; null for an account's own run. */
  readonly job: JobIdentity | null;
  /** What the run works on in the place of the job's commit. */
  readonly pullRequest?: PullRequestHead;
  /** What submitted it, as W3C's `traceparent` has it; where that was followed. */
  readonly traceparent?: string;
};

/** A run without its input and its events. */
export type RunRecord = {
  readonly id: string;
  readonly agentId: string;
  readonly threadId: string;
  readonly status: RunStatus;
  readonly origin: RunOrigin;
  readonly parentRunId: string | null;
  /** The ledger account that pays. */
  readonly billingAccount: string;
  readonly holdMicroUsd: number;
  readonly submittedAt: number;
  readonly startedAt: number | null;
  readonly heartbeatAt: number | null;
  readonly endedAt: number | null;
  readonly cause: RunCause | null;
  readonly retryable: boolean;
  readonly stopReason: string | null;
  /** Null until the run has ended. */
  readonly usage: Usage | null;
  readonly grossMicroUsd: number;
  readonly refundedMicroUsd: number;
  readonly refundReason: string | null;
  /** The `seq` of the newest event; 0 while there is none. */
  readonly lastSeq: number;
  /** Counts the workers that took the run: only the newest may write. */
  readonly fence: number;
  /** True once its input and events are deleted, or about to be. Absent before. */
  readonly hasExpired?: true;
};

export type StoredEvent = {
  readonly seq: number;
  readonly at: number;
  /** One event of the contract, as JSON text. */
  readonly json: string;
};

export const postingKinds = ["grant", "hold", "charge", "release", "refund"] as const;
export type PostingKind = (typeof postingKinds)[number];

/** Moves `microUsd` (> 0) from one account to another. Never changed, never deleted. */
export type Posting = {
  readonly id: string;
  readonly at: number;
  readonly kind: PostingKind;
  readonly from: string;
  readonly to: string;
  readonly microUsd: number;
  readonly runId: string | null;
};

export type ClaimTicket = {
  readonly hash: string;
  readonly agentId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The account that claimed with it; null until then. */
  readonly usedBy: string | null;
};

/** An account asks for a repository's agent, and waits for a job of the repository to name it. */
export type PendingClaim = {
  readonly agentId: string;
  readonly accountId: string;
  readonly expiresAt: number;
};

export type AuditEntry = {
  readonly id: string;
  readonly at: number;
  readonly requestId: string;
  readonly action: "exchange" | "revoke" | "claim" | "release" | "policy";
  /** "ok", or the reason of the refusal. */
  readonly outcome: string;
  /** From verified claims only; null where there were none. */
  readonly issuer: string | null;
  readonly repositoryId: string | null;
  readonly repositoryName: string | null;
  readonly ciRunId: string | null;
  /** The account that claims, claimed what is released, or set the policy. */
  readonly accountId?: string;
};

/** A prompt with versions 1, 2, 3 …, one of which may be active. */
export type WorkflowRecord = {
  readonly id: string;
  readonly agentId: string;
  readonly name: string;
  /** The newest. */
  readonly version: number;
  readonly activeVersion: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
};

// What the service keeps, as the core sees it. Times are milliseconds since the epoch, money is micro-USD. Pure.

import type { Visibility } from "../../contract/exchange.ts";
import type { Message, RunCause, RunOrigin, RunStatus } from "../../contract/run.ts";
import type { JobIdentity } from "./job-identity.ts";

export type Agent = {
  readonly id: string;
  /** The owning account; null until the repository is claimed. */
  readonly accountId: string | null;
  readonly provider: string;
  readonly issuer: string;
  readonly repositoryId: string;
  readonly ownerId: string;
  /** The latest name seen. A label, never a key. */
  readonly repositoryName: string;
  readonly visibility: Visibility;
  readonly backend: string;
  readonly createdAt: number;
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

/** What a run was asked, and on what. Read once, when it starts. */
export type RunInput = {
  readonly messages: readonly Message[];
  readonly maxTurnTokens: number;
  readonly job: JobIdentity;
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
  readonly payer: string;
  readonly holdMicroUsd: number;
  readonly submittedAt: number;
  readonly startedAt: number | null;
  readonly heartbeatAt: number | null;
  readonly endedAt: number | null;
  readonly cause: RunCause | null;
  readonly retryable: boolean;
  readonly stopReason: string | null;
  readonly tokens: number | null;
  readonly modelCalls: number | null;
  readonly grossMicroUsd: number;
  readonly refundedMicroUsd: number;
  readonly refundReason: string | null;
  /** The `seq` of the newest event; 0 while there is none. */
  readonly lastSeq: number;
  /** Counts the workers that took the run: only the newest may write. */
  readonly fence: number;
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
};

export type AuditEntry = {
  readonly id: string;
  readonly at: number;
  readonly requestId: string;
  readonly action: "exchange" | "revoke";
  /** "ok", or the reason of the refusal. */
  readonly outcome: string;
  /** From verified claims only; null where there were none. */
  readonly issuer: string | null;
  readonly repositoryId: string | null;
  readonly repositoryName: string | null;
  readonly ciRunId: string | null;
};

// Why a use case says no: rich inside, one switch in http/problems.ts makes the public answer of it. Pure.

import type { ExchangeReason } from "../../contract/problem.ts";

/** `expected` and `got` are filled only after the signature has passed: they repeat claims. */
export type ExchangeRefusal = {
  readonly reason: ExchangeReason;
  readonly detail: string;
  readonly expected?: string;
  readonly got?: string;
};

export type RateRefusal = {
  readonly reason: "rate_limited";
  readonly scope: string;
  readonly retryAfterMs: number;
};

export type AuthRefusal =
  | { readonly reason: "credential_missing" }
  | { readonly reason: "credential_malformed" }
  | { readonly reason: "credential_unknown" }
  | { readonly reason: "credential_expired"; readonly expiredAt: number }
  | { readonly reason: "credential_revoked" };

export type AgentRefusal =
  | { readonly reason: "agent_not_found"; readonly agentId: string }
  | { readonly reason: "agent_of_another"; readonly agentId: string };

export type SubmitRefusal =
  | AgentRefusal
  | { readonly reason: "session_not_found"; readonly sessionId: string }
  | { readonly reason: "message_missing" }
  | { readonly reason: "key_in_flight"; readonly key: string }
  | { readonly reason: "key_reused"; readonly key: string }
  | { readonly reason: "capacity_reached"; readonly queued: number; readonly allowed: number }
  | {
      readonly reason: "credits_ended" | "repository_private";
      readonly repository: string;
      readonly resetsAt: number;
      readonly claimUrl: string;
    };

export type RunRefusal =
  | AgentRefusal
  | { readonly reason: "run_not_found"; readonly runId: string }
  | { readonly reason: "run_of_another"; readonly runId: string }
  | { readonly reason: "run_finished"; readonly runId: string; readonly status: string };

export type Refusal = ExchangeRefusal | RateRefusal | AuthRefusal | SubmitRefusal | RunRefusal;

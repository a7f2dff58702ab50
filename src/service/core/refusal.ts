// Why a use case says no: rich inside, one switch in http/problems.ts makes the public answer of it. Pure.

import type { ExchangeReason } from "../../contract/problems/problem.ts";
import type { ScheduleStatus } from "../../contract/schedules/schedule.ts";
import type { Plan } from "./records.ts";

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

export type SocketRefusal = { readonly reason: "sockets_reached"; readonly allowed: number };

export type AuthRefusal =
  | { readonly reason: "credential_missing" }
  | { readonly reason: "credential_malformed" }
  | { readonly reason: "credential_unknown" }
  | { readonly reason: "credential_expired"; readonly expiredAt: number }
  | { readonly reason: "credential_revoked" };

/** What the caller's class may not do. */
export type ClassRefusal =
  | { readonly reason: "capability_needed" }
  | { readonly reason: "account_needed" }
  | { readonly reason: "owner_needed"; readonly what: string; readonly url: string };

export type WorkflowRefusal =
  | { readonly reason: "workflow_not_found"; readonly workflowId: string }
  | { readonly reason: "workflow_version_not_found"; readonly workflowId: string; readonly version: number };

/** An account's credits are its own business. */
export type CreditsRefusal = { readonly reason: "credits_of_another"; readonly userId: string };

export type ScheduleRefusal =
  | { readonly reason: "schedule_not_found"; readonly scheduleId: string }
  | { readonly reason: "schedule_time_passed"; readonly fireAt: number; readonly now: number }
  | {
      readonly reason: "schedule_not_confirmable";
      readonly scheduleId: string;
      readonly status: ScheduleStatus;
      readonly fireAt: number;
    }
  | {
      readonly reason: "schedule_not_cancellable";
      readonly scheduleId: string;
      readonly status: ScheduleStatus;
    }
  | { readonly reason: "agent_ending"; readonly agentId: string };

/** The first three are a link that is of no use to whoever holds it. */
export type ClaimRefusal =
  | { readonly reason: "claim_unknown" | "claim_ended" | "claim_used" }
  | { readonly reason: "claimed_by_another"; readonly repository: string };

export type PlanRefusal =
  | { readonly reason: "account_not_found"; readonly accountId: string }
  | { readonly reason: "sku_unknown"; readonly sku: string }
  | { readonly reason: "plan_not_subscribed"; readonly accountId: string };

/** Why an agent stays with whom it is. */
export type ReleaseRefusal =
  | { readonly reason: "agent_not_found"; readonly agentId: string }
  | { readonly reason: "agent_without_repository"; readonly agentId: string }
  | { readonly reason: "agent_unclaimed"; readonly agentId: string };

/** What is about CI jobs, asked of an agent that none runs. */
export type AgentPolicyRefusal = { readonly reason: "agent_without_repository"; readonly agentId: string };

export type AgentRefusal =
  | { readonly reason: "agent_not_found"; readonly agentId: string }
  | { readonly reason: "agent_of_another"; readonly agentId: string };

export type CreateAgentRefusal =
  | { readonly reason: "agent_key_missing" }
  | { readonly reason: "model_unknown"; readonly model: string }
  | { readonly reason: "model_forbidden"; readonly model: string; readonly plan: Plan }
  | { readonly reason: "agent_cap_reached"; readonly agents: number; readonly allowed: number }
  | { readonly reason: "key_reused"; readonly key: string };

export type SubmitRefusal =
  | AgentRefusal
  | { readonly reason: "session_not_found"; readonly sessionId: string }
  | { readonly reason: "message_missing" }
  | { readonly reason: "session_named_twice" }
  | { readonly reason: "session_key_in_flight"; readonly key: string }
  | { readonly reason: "pull_request_needs_job" }
  | { readonly reason: "pull_request_unsupported"; readonly provider: string; readonly allowed: string }
  | { readonly reason: "key_in_flight"; readonly key: string }
  | { readonly reason: "key_reused"; readonly key: string }
  | { readonly reason: "capacity_reached"; readonly queued: number; readonly allowed: number }
  | { readonly reason: "concurrency_reached"; readonly inFlight: number; readonly allowed: number }
  | { readonly reason: "agent_retired"; readonly agentId: string }
  /** The owner has set a policy since the job's capability was issued. */
  | {
      readonly reason: "policy_refused_since";
      readonly detail: string;
      readonly expected: string;
      readonly got: string;
    }
  | { readonly reason: "balance_ended"; readonly plan: Plan }
  | {
      readonly reason: "credits_ended" | "repository_private";
      readonly repository: string;
      readonly resetsAt: number;
      /** Null where the repository cannot be claimed. */
      readonly claimUrl: string | null;
    };

export type RunRefusal =
  | AgentRefusal
  | { readonly reason: "run_not_found"; readonly runId: string }
  | { readonly reason: "run_of_another"; readonly runId: string }
  | { readonly reason: "events_expired"; readonly runId: string; readonly agentId: string }
  | { readonly reason: "session_unknown"; readonly sessionId: string }
  | { readonly reason: "session_of_another"; readonly sessionId: string }
  | { readonly reason: "run_finished"; readonly runId: string; readonly status: string };

export type Refusal =
  | ExchangeRefusal
  | RateRefusal
  | SocketRefusal
  | AuthRefusal
  | ClassRefusal
  | ClaimRefusal
  | CreditsRefusal
  | WorkflowRefusal
  | ScheduleRefusal
  | SubmitRefusal
  | CreateAgentRefusal
  | AgentPolicyRefusal
  | RunRefusal;

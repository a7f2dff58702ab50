// Why a run is not submitted, found, read or cancelled. Pure.

import type { AgentRefusal, AgentRetiredRefusal } from "../agents/refusals.ts";
import type { PolicyRefusal, PullRequestRefusal } from "../ci/refusals.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../idempotency/refusals.ts";
import type { CapacityRefusal, OverloadRefusal } from "../limits/refusals.ts";
import type { PaymentRefusal } from "../money/refusals.ts";
import type { FollowSessionRefusal, SessionRefusal } from "../sessions/refusals.ts";

/** What only a run's reader is refused for. */
export type ReadRunRefusal =
  | { readonly reason: "run_not_found"; readonly runId: string }
  | { readonly reason: "run_of_another"; readonly runId: string }
  | { readonly reason: "events_expired"; readonly runId: string; readonly agentId: string }
  | { readonly reason: "run_finished"; readonly runId: string; readonly status: string };

export type MessageRefusal = { readonly reason: "message_missing" };

export type RunRefusal = ReadRunRefusal | AgentRefusal | FollowSessionRefusal | OverloadRefusal;

export type SubmitRefusal =
  | MessageRefusal
  | AgentRefusal
  | AgentRetiredRefusal
  | SessionRefusal
  | PullRequestRefusal
  | PolicyRefusal
  | KeyInFlightRefusal
  | KeyReusedRefusal
  | CapacityRefusal
  | PaymentRefusal;

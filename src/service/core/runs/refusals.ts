// Why a run is not submitted, found, read or cancelled. Pure.

import type { AgentRefusal, AgentRetiredRefusal, PolicyRefusal } from "../agents/refusals.ts";
import type { PullRequestRefusal } from "../ci/refusals.ts";
import type { CommitMissingRefusal, CommitUnknownRefusal } from "../commits/refusals.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../idempotency/refusals.ts";
import type { CapacityRefusal, OverloadRefusal } from "../limits/refusals.ts";
import type { ModelAccessRefusal } from "../model-access/refusals.ts";
import type { CostRefusal, PaymentRefusal } from "../money/refusals.ts";
import type { CommitUnreachableRefusal } from "../repository-access/refusals.ts";
import type { FollowSessionRefusal, SessionRefusal } from "../sessions/refusals.ts";

/** What only a run's reader is refused for. */
export type ReadRunRefusal =
  | { readonly reason: "run_not_found"; readonly runId: string }
  | { readonly reason: "run_of_another"; readonly runId: string }
  | { readonly reason: "events_expired"; readonly runId: string; readonly agentId: string }
  | { readonly reason: "run_finished"; readonly runId: string; readonly status: string };

export type MessageRefusal = { readonly reason: "message_missing" };

/** Why a submission may not name MCP servers. */
export type McpRefusal =
  | { readonly reason: "mcp_refused_by_owner"; readonly agentId: string }
  | { readonly reason: "mcp_without_model"; readonly backend: string };

export type RunRefusal = ReadRunRefusal | AgentRefusal | FollowSessionRefusal | OverloadRefusal;

/** The run that delegates is about to end, and its children with it. */
export type ParentEndingRefusal = { readonly reason: "parent_ending" };

/** The owner's cap a day leaves nothing for a run. Amounts are micro-USD; `usedMicroUsd` includes what runs at work may cost. */
export type DayCapRefusal = {
  readonly reason: "day_cap_reached";
  readonly agentId: string;
  readonly capMicroUsd: number;
  readonly usedMicroUsd: number;
  readonly resetsAt: number;
};

export type SubmitRefusal =
  | ParentEndingRefusal
  | MessageRefusal
  | McpRefusal
  | AgentRefusal
  | AgentRetiredRefusal
  | SessionRefusal
  | PullRequestRefusal
  | PolicyRefusal
  | ModelAccessRefusal
  | KeyInFlightRefusal
  | KeyReusedRefusal
  | CapacityRefusal
  | CostRefusal
  | DayCapRefusal
  | PaymentRefusal
  | CommitMissingRefusal
  | CommitUnknownRefusal
  | CommitUnreachableRefusal;

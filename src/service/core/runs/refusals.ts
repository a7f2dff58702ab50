// Why a run is not submitted, found, read or cancelled, and what its caller is told. Pure.

import type { AgentRefusal, AgentRetiredRefusal, PolicyRefusal } from "../agents/refusals.ts";
import type { PullRequestRefusal } from "../ci/refusals.ts";
import type { CommitMissingRefusal, CommitUnknownRefusal } from "../commits/refusals.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../idempotency/refusals.ts";
import type { CapacityRefusal, OverloadRefusal } from "../limits/refusals.ts";
import type { ModelAccessRefusal } from "../model-access/refusals.ts";
import type { CostRefusal, PaymentRefusal } from "../money/refusals.ts";
import { forbidden, invalidRequest, isoTime, notFound, type ProblemsOf } from "../ports/problem.ts";
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

export const runProblems: ProblemsOf<
  ReadRunRefusal | MessageRefusal | McpRefusal | ParentEndingRefusal | DayCapRefusal
> = {
  day_cap_reached: ({ reason, agentId, capMicroUsd, usedMicroUsd, resetsAt }) => ({
    status: 402,
    code: "day_cap_reached",
    message: `The owner lets the runs of this repository cost ${dollars(capMicroUsd)} a day (UTC), and ${dollars(usedMicroUsd)} is used, or may be by runs in flight. The next day begins at ${isoTime(resetsAt)}. The owner changes it with "agent-service agents policy ${agentId} --max-usd-per-day".`,
    fields: { reason, claim_url: null },
  }),
  message_missing: () => invalidRequest('One of "message" and "messages" is required.'),
  mcp_refused_by_owner: ({ agentId }) =>
    forbidden(
      `Runs of agent ${agentId} may name no MCP servers: its owner has set ci_policy.mcp_servers to "none". Leave "mcp_servers" out.`,
    ),
  mcp_without_model: ({ backend }) =>
    invalidRequest(
      `"mcp_servers" is for runs of a model, and this agent's are executed by "${backend}", which takes none. Leave it out.`,
    ),
  parent_ending: () => ({
    status: 409,
    code: "run_finished",
    message: "The run that delegates this one is ending, and starts no other any more.",
  }),
  run_not_found: ({ runId }) => notFound(`There is no run ${runId}.`),
  run_of_another: ({ runId }) =>
    forbidden(`Run ${runId} belongs to an agent that this credential may not use.`),
  events_expired: ({ runId, agentId }) => ({
    status: 410,
    code: "events_expired",
    message: `The events of run ${runId} are not kept any more. Its record is at GET /v1/agents/${agentId}/runs/${runId}.`,
  }),
  run_finished: ({ runId, status }) => ({
    status: 409,
    code: "run_finished",
    message: `Run ${runId} has ended already: ${status}.`,
  }),
};

function dollars(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(2)}`;
}

// Refusals to submit, find, read or cancel a run, and their problems. Pure.

import type { AgentRefusal, AgentRetiredRefusal, ModelRefusal, PolicyRefusal } from "../agents/refusals.ts";
import type { PullRequestRefusal } from "../ci/refusals.ts";
import type { CommitMissingRefusal, CommitUnknownRefusal } from "../commits/refusals.ts";
import type { KeyInFlightRefusal, KeyReusedRefusal } from "../idempotency/refusals.ts";
import type { CapacityRefusal, OverloadRefusal } from "../limits/refusals.ts";
import type { ModelAccessRefusal, ServerAccessRefusal } from "../model-access/refusals.ts";
import type { CostRefusal, PaymentRefusal } from "../money/refusals.ts";
import {
  conflict,
  forbidden,
  invalidRequest,
  isoTime,
  notFound,
  type ProblemTable,
  type RefusalOf,
} from "../ports/problem.ts";
import type { CommitUnreachableRefusal } from "../repository-access/refusals.ts";
import type { FollowSessionRefusal, SessionRefusal } from "../sessions/refusals.ts";

export type RunRefusal = ReadRunRefusal | AgentRefusal | FollowSessionRefusal | OverloadRefusal;

export type SubmitRefusal =
  | ResumeRefusal
  | ParentEndingRefusal
  | MessageRefusal
  | McpRefusal
  | OutputsRefusal
  | BestOfRefusal
  | ModelRefusal
  | AgentRefusal
  | AgentRetiredRefusal
  | SessionRefusal
  | PullRequestRefusal
  | PolicyRefusal
  | ModelAccessRefusal
  | ServerAccessRefusal
  | KeyInFlightRefusal
  | KeyReusedRefusal
  | CapacityRefusal
  | CostRefusal
  | DayCapRefusal
  | PaymentRefusal
  | CommitMissingRefusal
  | CommitUnknownRefusal
  | CommitUnreachableRefusal;

export const runProblems = {
  day_cap_reached: (refusal: {
    agentId: string;
    capMicroUsd: number;
    usedMicroUsd: number;
    resetsAt: number;
  }) => ({
    status: 402,
    code: "day_cap_reached",
    message: `The owner lets the runs of this repository cost ${dollars(refusal.capMicroUsd)} a day (UTC), and ${dollars(refusal.usedMicroUsd)} is used, or may be by runs in flight. The next day begins at ${isoTime(refusal.resetsAt)}. The owner changes it with "agent-service agents policy ${refusal.agentId} --max-usd-per-day".`,
    fields: { reason: "day_cap_reached", claim_url: null },
  }),
  person_day_cap_reached: (refusal: {
    capMicroUsd: number;
    usedMicroUsd: number;
    resetsAt: number;
    url: string;
  }) => ({
    status: 402,
    code: "day_cap_reached",
    message: `The runs that you start in this account may cost ${dollars(refusal.capMicroUsd)} a day (UTC), and ${dollars(refusal.usedMicroUsd)} is used, or may be by runs in flight. The next day begins at ${isoTime(refusal.resetsAt)}. An owner or an admin changes it at ${refusal.url}.`,
    fields: { reason: "person_day_cap_reached", claim_url: null },
  }),
  message_missing: () => invalidRequest('One of "message" and "messages" is required.'),
  mcp_refused_by_owner: ({ agentId }: { agentId: string }) =>
    forbidden(
      `Runs of agent ${agentId} may name no MCP servers: its owner has set ci_policy.mcp_servers to "none". Leave "mcp_servers" out.`,
    ),
  mcp_without_model: ({ backend }: { backend: string }) =>
    invalidRequest(
      `"mcp_servers" is for runs of a model or of a coding agent, and this agent's are executed by "${backend}", which takes none. Leave it out.`,
    ),
  outputs_needs_job: () =>
    forbidden(
      'Only a CI job writes what a run asks for, and this credential is the key of an account. Leave "outputs" out, or submit with the capability of a job.',
    ),
  outputs_without_model: ({ backend }: { backend: string }) =>
    invalidRequest(
      `"outputs" is for runs of a model, and this agent's are executed by "${backend}", which has no tools for them. Leave it out.`,
    ),
  best_of_too_few: ({ attempts, models }: { attempts: number; models: number }) =>
    invalidRequest(
      `"best_of_models" names ${models} models, and "best_of" asks for ${attempts} attempts: each model needs one. Raise "best_of", or leave it out.`,
    ),
  best_of_brought_model: () =>
    invalidRequest(
      '"best_of_models" names models of the service, and this run brings access to one of its own, which all attempts ask. Leave "best_of_models" out, or "model_access".',
    ),
  best_of_in_workspace: () =>
    invalidRequest(
      'Several attempts ("best_of", "best_of_models") are for runs on a repository, and this one works in a workspace. Leave both out.',
    ),
  best_of_inside_job: () =>
    invalidRequest(
      'Several attempts ("best_of", "best_of_models") need a service that gives each a copy of the files, and a service inside a job has the job\'s own files alone. Name a service, or leave both out.',
    ),
  best_of_without_model: ({ backend }: { backend: string }) =>
    invalidRequest(
      `Several attempts ("best_of", "best_of_models") are for runs of the built-in agent, and this agent's are executed by "${backend}". Leave both out.`,
    ),
  best_of_without_repository: ({ agentId }: { agentId: string }) =>
    invalidRequest(
      `Several attempts ("best_of", "best_of_models") are for runs on a repository, and agent ${agentId} has none. Leave both out.`,
    ),
  parent_ending: () =>
    conflict("run_finished", "The run that delegates this one is ending, and starts no other any more."),
  run_not_found: ({ runId }: { runId: string }) => notFound(`There is no run ${runId}.`),
  run_of_another: ({ runId }: { runId: string }) =>
    forbidden(`Run ${runId} belongs to an agent that this credential may not use.`),
  events_expired: ({ runId, agentId }: { runId: string; agentId: string }) => ({
    status: 410,
    code: "events_expired",
    message: `The events of run ${runId} are not kept any more. Its record is at GET /v1/agents/${agentId}/runs/${runId}.`,
  }),
  run_not_parked: ({ runId }: { runId: string }) =>
    conflict(
      "run_not_parked",
      `Run ${runId} is not parked: it waits for nothing. Read it to see where it stands.`,
    ),
  turn_not_kept: ({ runId, turn, turns }: { runId: string; turn: number; turns: readonly number[] }) =>
    conflict(
      "turn_not_kept",
      turns.length === 0
        ? `Run ${runId} cannot be forked: no turn of it is kept. Turns are kept of runs of the built-in agent with the service's own model, outside of workspaces, for JOURNAL_DAYS after their end.`
        : `Turn ${turn} of run ${runId} is not kept. It can be forked at ${rangesText(turns)}.`,
    ),
  place_taken: ({ runId, byRunId }: { runId: string; byRunId: string }) =>
    conflict(
      "run_needs_more",
      `Run ${runId} cannot go on now: run ${byRunId} works in the copy that it works in. Wait until that one has ended, or cancel it.`,
    ),
  answer_missing: ({ runId }: { runId: string }) =>
    conflict(
      "run_needs_more",
      `Run ${runId} waits for the answer to its question: send it as "message" (by the command "--message …").`,
    ),
  cost_not_raised: ({ runId, maxMicroUsd }: { runId: string; maxMicroUsd: number }) =>
    conflict(
      "run_needs_more",
      `Run ${runId} has reached its limit of cost, ${dollars(maxMicroUsd)}: send a higher one as "max_cost_usd" (in a thread "/agent continue max-cost …", by the command "--max-cost …").`,
    ),
  tokens_not_raised: ({ runId, maxTokens }: { runId: string; maxTokens: number }) =>
    conflict(
      "run_needs_more",
      `Run ${runId} has reached its limit of tokens, ${maxTokens}: send a higher one as "max_turn_tokens" (in a thread "/agent continue max-turn-tokens …", by the command "--max-turn-tokens …").`,
    ),
  credits_not_added: ({ runId }: { runId: string }) => ({
    status: 402,
    code: "insufficient_credits",
    message: `Run ${runId} waits for credits, and its billing account has too few to go on. Add some, then continue it.`,
    fields: { reason: "balance_ended" },
  }),
  run_finished: ({ runId, status }: { runId: string; status: string }) =>
    conflict("run_finished", `Run ${runId} has ended already: ${status}.`),
  run_unfinished: ({ runId }: { runId: string }) =>
    conflict(
      "run_unfinished",
      `Run ${runId} has not ended yet, and is not parked: nothing of it can have been delivered. Report once it has ended.`,
    ),
  delivery_reported: ({ runId }: { runId: string }) =>
    conflict(
      "delivery_reported",
      `This attempt of the job has reported another delivery of run ${runId}. It reports once.`,
    ),
} satisfies ProblemTable;

/** Refusals of a run's reader alone. */
type ReadRunRefusal = RefusalOf<
  typeof runProblems,
  "run_not_found" | "run_of_another" | "events_expired" | "run_finished"
>;

/** Why a job's report is not taken. */
export type DeliveryRefusal = RefusalOf<typeof runProblems, "run_unfinished" | "delivery_reported">;

/** Why a run does not go on. */
export type ResumeRefusal = RefusalOf<
  typeof runProblems,
  | "run_not_parked"
  | "place_taken"
  | "answer_missing"
  | "cost_not_raised"
  | "tokens_not_raised"
  | "credits_not_added"
>;

type MessageRefusal = RefusalOf<typeof runProblems, "message_missing">;

/** Why a submission may not name MCP servers. */
export type McpRefusal = RefusalOf<typeof runProblems, "mcp_refused_by_owner" | "mcp_without_model">;

/** Why a submission may not declare typed outputs. */
export type OutputsRefusal = RefusalOf<typeof runProblems, "outputs_needs_job" | "outputs_without_model">;

/** Why a run may not make several attempts. */
export type BestOfRefusal = RefusalOf<
  typeof runProblems,
  | "best_of_too_few"
  | "best_of_brought_model"
  | "best_of_in_workspace"
  | "best_of_inside_job"
  | "best_of_without_model"
  | "best_of_without_repository"
>;

/** The run that delegates is about to end, and its children with it. */
type ParentEndingRefusal = RefusalOf<typeof runProblems, "parent_ending">;

/** The owner's cap a day leaves nothing for a run. Amounts are micro-USD; `usedMicroUsd` includes what runs at work may cost. */
export type DayCapRefusal = RefusalOf<typeof runProblems, "day_cap_reached" | "person_day_cap_reached">;

/** Why no run begins at a turn of another one. */
export type ForkRefusal = RefusalOf<typeof runProblems, "turn_not_kept">;

/** `turn 3` or `turns 1–4 and 7`. */
function rangesText(turns: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const turn of turns) {
    const range = ranges.at(-1);
    if (range !== undefined && turn === range.last + 1) range.last = turn;
    else ranges.push({ first: turn, last: turn });
  }
  const texts = ranges.map(({ first, last }) => (first === last ? String(first) : `${first}–${last}`));
  const list = new Intl.ListFormat("en").format(texts);
  return `${turns.length === 1 ? "turn" : "turns"} ${list}`;
}

function dollars(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(2)}`;
}

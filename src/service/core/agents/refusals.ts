// Refusals to find, make or change an agent or to give it work, and their problems. Pure.

import type { Plan } from "../money/plan.ts";
import {
  conflict,
  forbidden,
  invalidRequest,
  notFound,
  type ProblemTable,
  type RefusalOf,
} from "../ports/problem.ts";

type AnAgent = { agentId: string };

const MAX_NAMED = 5;

export const agentProblems = {
  agent_not_found: ({ agentId }: AnAgent) => notFound(`There is no agent ${agentId}.`),
  agent_of_another: ({ agentId }: AnAgent) =>
    forbidden(`Agent ${agentId} is not the one that this credential may run.`),
  agent_name_unknown: ({ name }: { name: string }) =>
    notFound(`There is no agent named ${JSON.stringify(name)}.`),
  agent_name_ambiguous: ({ name, ids }: { name: string; ids: readonly string[] }) =>
    invalidRequest(
      `${ids.length} agents are named ${JSON.stringify(name)}. Name one by its id: ${ids.slice(0, MAX_NAMED).join(", ")}.`,
    ),
  agent_retired: ({ agentId }: AnAgent) => forbidden(`Agent ${agentId} is retired and takes no work.`),
  agent_ending: ({ agentId }: AnAgent) =>
    conflict("agent_ending", `Agent ${agentId} is being deleted or was retired: it takes no work.`),
  agent_without_repository: ({ agentId }: AnAgent) =>
    invalidRequest(`Agent ${agentId} has no repository, so that no CI job runs it. Leave "ci_policy" out.`),
  agent_key_missing: () =>
    invalidRequest("An independent agent needs the header Idempotency-Key, not empty."),
  model_unknown: ({ model }: { model: string }) =>
    invalidRequest(`There is no model "${model}". GET /v1/pricing/models lists those that there are.`),
  model_forbidden: ({ plan, model }: { model: string; plan: Plan }) => ({
    status: 403,
    code: "plan_forbids_model",
    message: `Plan ${plan} does not allow model "${model}". Leave "model" out, or name one that is free-tier eligible.`,
  }),
  agent_cap_reached: ({ agents, allowed }: { agents: number; allowed: number }) => ({
    status: 429,
    code: "agent_cap_reached",
    message: `The account has ${agents} agents, its plan allows ${allowed}. Retire one, or use one that is there.`,
    retryAfterSeconds: 60,
  }),
  policy_refused_since: ({ detail, expected, got }: { detail: string; expected: string; got: string }) => ({
    status: 403,
    code: "forbidden",
    message: detail,
    fields: { reason: "policy_refused", expected, got },
  }),
} satisfies ProblemTable;

export type AgentRefusal = RefusalOf<typeof agentProblems, "agent_not_found" | "agent_of_another">;

/** No agent, or more than one, of the account has the name and takes work. */
export type AgentNameRefusal = RefusalOf<typeof agentProblems, "agent_name_unknown" | "agent_name_ambiguous">;

export type AgentRetiredRefusal = RefusalOf<typeof agentProblems, "agent_retired">;

export type AgentEndingRefusal = RefusalOf<typeof agentProblems, "agent_ending">;

/** The request is about CI jobs, and the agent has no repository whose jobs could run it. */
export type AgentPolicyRefusal = RefusalOf<typeof agentProblems, "agent_without_repository">;

export type CreateAgentRefusal = RefusalOf<
  typeof agentProblems,
  "agent_key_missing" | "model_unknown" | "model_forbidden" | "agent_cap_reached"
>;

export type ModelForbiddenRefusal = RefusalOf<typeof agentProblems, "model_forbidden">;

/** A run names a model that its agent may not ask. */
export type ModelRefusal = RefusalOf<typeof agentProblems, "model_unknown" | "model_forbidden">;

/** The owner has set a policy since the job's capability was issued. */
export type PolicyRefusal = RefusalOf<typeof agentProblems, "policy_refused_since">;

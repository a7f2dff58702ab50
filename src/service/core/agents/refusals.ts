// Why an agent is not found, made, changed or given work, and what its caller is told. Pure.

import type { Plan } from "../money/plan.ts";
import { forbidden, invalidRequest, notFound, type ProblemsOf } from "../ports/problem.ts";

export type AgentRefusal =
  | { readonly reason: "agent_not_found"; readonly agentId: string }
  | { readonly reason: "agent_of_another"; readonly agentId: string };

/** No agent, or more than one, of the account has the name and takes work. */
export type AgentNameRefusal =
  | { readonly reason: "agent_name_unknown"; readonly name: string }
  | { readonly reason: "agent_name_ambiguous"; readonly name: string; readonly ids: readonly string[] };

export type AgentRetiredRefusal = { readonly reason: "agent_retired"; readonly agentId: string };

export type AgentEndingRefusal = { readonly reason: "agent_ending"; readonly agentId: string };

/** The request is about CI jobs, and the agent has no repository whose jobs could run it. */
export type AgentPolicyRefusal = { readonly reason: "agent_without_repository"; readonly agentId: string };

export type CreateAgentRefusal =
  | { readonly reason: "agent_key_missing" }
  | { readonly reason: "model_unknown"; readonly model: string }
  | { readonly reason: "model_forbidden"; readonly model: string; readonly plan: Plan }
  | { readonly reason: "agent_cap_reached"; readonly agents: number; readonly allowed: number };

/** The owner has set a policy since the job's capability was issued. */
export type PolicyRefusal = {
  readonly reason: "policy_refused_since";
  readonly detail: string;
  readonly expected: string;
  readonly got: string;
};

const MAX_NAMED = 5;

export const agentProblems: ProblemsOf<
  | AgentRefusal
  | AgentNameRefusal
  | AgentRetiredRefusal
  | AgentEndingRefusal
  | AgentPolicyRefusal
  | CreateAgentRefusal
  | PolicyRefusal
> = {
  agent_not_found: ({ agentId }) => notFound(`There is no agent ${agentId}.`),
  agent_of_another: ({ agentId }) =>
    forbidden(`Agent ${agentId} is not the one that this credential may run.`),
  agent_name_unknown: ({ name }) => notFound(`There is no agent named ${JSON.stringify(name)}.`),
  agent_name_ambiguous: ({ name, ids }) =>
    invalidRequest(
      `${ids.length} agents are named ${JSON.stringify(name)}. Name one by its id: ${ids.slice(0, MAX_NAMED).join(", ")}.`,
    ),
  agent_retired: ({ agentId }) => forbidden(`Agent ${agentId} is retired and takes no work.`),
  agent_ending: ({ agentId }) => ({
    status: 409,
    code: "agent_ending",
    message: `Agent ${agentId} is being deleted or was retired: it takes no work.`,
  }),
  agent_without_repository: ({ agentId }) =>
    invalidRequest(`Agent ${agentId} has no repository, so that no CI job runs it. Leave "ci_policy" out.`),
  agent_key_missing: () =>
    invalidRequest("An independent agent needs the header Idempotency-Key, not empty."),
  model_unknown: ({ model }) =>
    invalidRequest(`There is no model "${model}". GET /v1/pricing/models lists those that there are.`),
  model_forbidden: ({ plan, model }) => ({
    status: 403,
    code: "plan_forbids_model",
    message: `Plan ${plan} does not allow model "${model}". Leave "model" out, or name one that is free-tier eligible.`,
  }),
  agent_cap_reached: ({ agents, allowed }) => ({
    status: 429,
    code: "agent_cap_reached",
    message: `The account has ${agents} agents, its plan allows ${allowed}. Retire one, or use one that is there.`,
    retryAfterSeconds: 60,
  }),
  policy_refused_since: ({ detail, expected, got }) => ({
    status: 403,
    code: "forbidden",
    message: detail,
    fields: { reason: "policy_refused", expected, got },
  }),
};

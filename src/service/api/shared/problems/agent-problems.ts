// What a caller is told of an agent. Pure.

import type {
  AgentEndingRefusal,
  AgentNameRefusal,
  AgentPolicyRefusal,
  AgentRefusal,
  AgentRetiredRefusal,
  CreateAgentRefusal,
} from "../../../core/agents/refusals.ts";
import { forbidden, invalidRequest, notFound, type ProblemsOf } from "./public-problem.ts";

type Refusal =
  | AgentRefusal
  | AgentNameRefusal
  | AgentRetiredRefusal
  | AgentEndingRefusal
  | AgentPolicyRefusal
  | CreateAgentRefusal;

const MAX_NAMED = 5;

export const agentProblems: ProblemsOf<Refusal> = {
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
};

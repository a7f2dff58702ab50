// Why an agent is not found, made, changed or given work. Pure.

import type { Plan } from "../money/plan.ts";

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

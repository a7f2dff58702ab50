// Why a repository's agent is not claimed or released. Pure.

import type { ManagerInUseRefusal } from "../agents/managed-workspaces.ts";
import type { AgentPolicyRefusal, AgentRefusal } from "../agents/refusals.ts";

/** The first three mean that the link cannot be used by its holder. */
export type ClaimRefusal =
  | { readonly reason: "claim_unknown" | "claim_ended" | "claim_used" }
  | { readonly reason: "claimed_by_another"; readonly repository: string };

/** For the operator alone: no route answers it. */
export type ReleaseRefusal =
  | Extract<AgentRefusal, { reason: "agent_not_found" }>
  | AgentPolicyRefusal
  | ManagerInUseRefusal
  | { readonly reason: "agent_unclaimed"; readonly agentId: string };

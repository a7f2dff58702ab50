// Why a workspace does not adopt, or does not go back. Pure.

import type { AdoptionStatus } from "../../../../contract/workspaces/adoption/adoption-statuses.ts";

export type AdoptRefusal =
  | { readonly reason: "adoption_key_missing" }
  | { readonly reason: "adoption_agent_without_repository"; readonly agentId: string }
  | { readonly reason: "adoption_commit_unknown"; readonly agentId: string }
  | { readonly reason: "adoption_needs_empty"; readonly workspaceId: string };

export type AdoptionRefusal = { readonly reason: "adoption_not_found"; readonly workspaceId: string };

export type AdoptionStateRefusal =
  | { readonly reason: "adoption_not_cancellable"; readonly status: AdoptionStatus }
  | { readonly reason: "adoption_not_undoable"; readonly status: AdoptionStatus }
  | { readonly reason: "adoption_built_on"; readonly workspaceId: string };

// Why a workspace does not adopt, or does not go back, and what its caller is told. Pure.

import type { AdoptionStatus } from "../../../../contract/workspaces/adoption.ts";
import { invalidRequest, notFound, type ProblemsOf, type PublicProblem } from "../../ports/problem.ts";

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

const state = (message: string): PublicProblem => ({ status: 409, code: "adoption_state", message });

export const adoptionProblems: ProblemsOf<AdoptRefusal | AdoptionRefusal | AdoptionStateRefusal> = {
  adoption_key_missing: () =>
    invalidRequest("An adoption needs the header Idempotency-Key, from 1 to 255 characters."),
  adoption_agent_without_repository: ({ agentId }) =>
    invalidRequest(`"agent_id" must be an agent with a repository: agent ${agentId} was made by name.`),
  adoption_commit_unknown: ({ agentId }) =>
    state(
      `No run that is kept says where the repository of agent ${agentId} is. Run it from its repository's CI, then adopt.`,
    ),
  adoption_needs_empty: ({ workspaceId }) =>
    state(
      `Workspace ${workspaceId} has files. Only a workspace without files adopts, so that none is overwritten: make a new one.`,
    ),
  adoption_not_found: ({ workspaceId }) => notFound(`Workspace ${workspaceId} has adopted nothing.`),
  adoption_not_cancellable: ({ status }) =>
    state(`The adoption can not be cancelled any more: it is ${status}.`),
  adoption_not_undoable: ({ status }) =>
    state(`Only an adoption that is ready is undone: this one is ${status}.`),
  adoption_built_on: ({ workspaceId }) =>
    state(
      `Workspace ${workspaceId} has changed since the adoption: something was accepted, or written to canonical files. Nothing is undone.`,
    ),
};

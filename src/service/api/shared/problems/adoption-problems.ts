// What a caller is told of an adoption. Pure.

import type {
  AdoptionRefusal,
  AdoptionStateRefusal,
  AdoptRefusal,
} from "../../../core/workspaces/adoption/refusals.ts";
import { invalidRequest, notFound, type ProblemsOf, type PublicProblem } from "./public-problem.ts";

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

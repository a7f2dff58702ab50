// Refusals of a workspace to adopt or to go back, and their problems. Pure.

import type { AdoptionStatus } from "../../../../contract/workspaces/adoption.ts";
import {
  invalidRequest,
  notFound,
  type ProblemTable,
  type PublicProblem,
  type RefusalOf,
} from "../../ports/problem.ts";

const state = (message: string): PublicProblem => ({ status: 409, code: "adoption_state", message });

export const adoptionProblems = {
  adoption_key_missing: () =>
    invalidRequest("An adoption needs the header Idempotency-Key, from 1 to 255 characters."),
  adoption_agent_without_repository: ({ agentId }: { agentId: string }) =>
    invalidRequest(`"agent_id" must be an agent with a repository: agent ${agentId} was made by name.`),
  adoption_commit_unknown: ({ agentId }: { agentId: string }) =>
    state(
      `No run that is kept says where the repository of agent ${agentId} is. Run it from its repository's CI, then adopt.`,
    ),
  adoption_needs_empty: ({ workspaceId }: { workspaceId: string }) =>
    state(
      `Workspace ${workspaceId} has files. Only a workspace without files adopts, so that none is overwritten: make a new one.`,
    ),
  adoption_not_found: ({ workspaceId }: { workspaceId: string }) =>
    notFound(`Workspace ${workspaceId} has adopted nothing.`),
  adoption_not_cancellable: ({ status }: { status: AdoptionStatus }) =>
    state(`The adoption can not be cancelled any more: it is ${status}.`),
  adoption_not_undoable: ({ status }: { status: AdoptionStatus }) =>
    state(`Only an adoption that is ready is undone: this one is ${status}.`),
  adoption_built_on: ({ workspaceId }: { workspaceId: string }) =>
    state(
      `Workspace ${workspaceId} has changed since the adoption: something was accepted, or written to canonical files. Nothing is undone.`,
    ),
} satisfies ProblemTable;

export type AdoptRefusal = RefusalOf<
  typeof adoptionProblems,
  | "adoption_key_missing"
  | "adoption_agent_without_repository"
  | "adoption_commit_unknown"
  | "adoption_needs_empty"
>;

export type AdoptionRefusal = RefusalOf<typeof adoptionProblems, "adoption_not_found">;

export type AdoptionStateRefusal = RefusalOf<
  typeof adoptionProblems,
  "adoption_not_cancellable" | "adoption_not_undoable" | "adoption_built_on"
>;

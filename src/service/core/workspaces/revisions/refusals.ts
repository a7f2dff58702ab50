// Why something is not done with a revision, and what its caller is told. Pure.

import { notFound, type ProblemsOf } from "../../ports/problem.ts";

/** What needs a revision. */
export type RevisionUse = "current" | "pin" | "copy" | "changeset" | "site" | "adoption";

export type RevisionRefusal = { readonly reason: "revision_not_found"; readonly revisionId: string };

export type RevisionInUseRefusal = {
  readonly reason: "revision_in_use";
  readonly revisionId: string;
  readonly use: RevisionUse;
};

const uses: Readonly<Record<RevisionUse, string>> = {
  current: "it is the workspace's current revision. Accept another one first",
  pin: "a retention pin keeps it. Delete the pin first",
  copy: "a copy is based on it. Delete the copy, or save it, first",
  changeset: "an open changeset builds on it. Reject or accept that first",
  site: "the workspace's site shows it. Publish another revision first",
  adoption: "the adoption of an agent's files can be undone by it. Delete it later",
};

export const revisionProblems: ProblemsOf<RevisionRefusal | RevisionInUseRefusal> = {
  revision_in_use: ({ revisionId, use }) => ({
    status: 409,
    code: "revision_in_use",
    message: `Revision ${revisionId} can not be deleted: ${uses[use]}.`,
  }),
  revision_not_found: ({ revisionId }) => notFound(`The workspace has no revision ${revisionId}.`),
};

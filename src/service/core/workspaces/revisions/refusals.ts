// Refusals of acts on a revision, and their problems. Pure.

import { conflict, notFound, type ProblemTable, type RefusalOf } from "../../ports/problem.ts";

/** Uses of a revision, which need it. */
export type RevisionUse = "current" | "pin" | "copy" | "changeset" | "site" | "adoption";

const uses: Readonly<Record<RevisionUse, string>> = {
  current: "it is the workspace's current revision. Accept another one first",
  pin: "a retention pin keeps it. Delete the pin first",
  copy: "a copy is based on it. Delete the copy, or save it, first",
  changeset: "an open changeset builds on it. Reject or accept that first",
  site: "the workspace's site shows it. Publish another revision first",
  adoption: "the adoption of an agent's files can be undone by it. Delete it later",
};

export const revisionProblems = {
  revision_in_use: ({ revisionId, use }: { revisionId: string; use: RevisionUse }) =>
    conflict("revision_in_use", `Revision ${revisionId} can not be deleted: ${uses[use]}.`),
  revision_not_found: ({ revisionId }: { revisionId: string }) =>
    notFound(`The workspace has no revision ${revisionId}.`),
} satisfies ProblemTable;

export type RevisionRefusal = RefusalOf<typeof revisionProblems, "revision_not_found">;

export type RevisionInUseRefusal = RefusalOf<typeof revisionProblems, "revision_in_use">;

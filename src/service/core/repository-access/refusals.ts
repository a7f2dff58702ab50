// Refusals to read a repository without a job, and their problems. Pure.

import { conflict, type ProblemTable, type RefusalOf } from "../ports/problem.ts";
import type { StoredAccess } from "./stored-access.ts";

/** Not for callers: the code host is asked first, outside of the transaction. */
export type RemoteHeadNeeded = { readonly reason: "remote_head_needed"; readonly access: StoredAccess };

export const repositoryAccessProblems = {
  commit_unreachable: ({ repository, detail }: { repository: string; detail: string; isPassing: boolean }) =>
    conflict(
      "commit_unreachable",
      `The newest commit of ${repository} could not be fetched from its code host: ${detail}.`,
    ),
  repository_access_unavailable: ({
    detail,
  }: {
    /** One sentence or two: why, and who does what. */
    detail: string;
  }) => conflict("repository_access_unavailable", detail),
} satisfies ProblemTable;

export type AccessUnavailableRefusal = RefusalOf<
  typeof repositoryAccessProblems,
  "repository_access_unavailable"
>;

/** The code host gave no commit to work on. */
export type CommitUnreachableRefusal = RefusalOf<typeof repositoryAccessProblems, "commit_unreachable">;

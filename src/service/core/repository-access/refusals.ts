// Why a repository is not read without a job, and what its caller is told. Pure.

import type { ProblemsOf } from "../ports/problem.ts";
import type { StoredAccess } from "./stored-access.ts";

export type AccessUnavailableRefusal = {
  readonly reason: "repository_access_unavailable";
  /** One sentence or two: why, and who does what. */
  readonly detail: string;
};

/** The code host gave no commit to work on. */
export type CommitUnreachableRefusal = {
  readonly reason: "commit_unreachable";
  readonly repository: string;
  readonly detail: string;
  readonly isPassing: boolean;
};

/** Not for callers: the code host is asked first, outside of the transaction. */
export type RemoteHeadNeeded = { readonly reason: "remote_head_needed"; readonly access: StoredAccess };

export const repositoryAccessProblems: ProblemsOf<CommitUnreachableRefusal | AccessUnavailableRefusal> = {
  commit_unreachable: ({ repository, detail }) => ({
    status: 409,
    code: "commit_unreachable",
    message: `The newest commit of ${repository} could not be fetched from its code host: ${detail}.`,
  }),
  repository_access_unavailable: ({ detail }) => ({
    status: 409,
    code: "repository_access_unavailable",
    message: detail,
  }),
};

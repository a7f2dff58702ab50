// Why a repository is not read without a job. Pure.

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

// Why the commit of a run is not there, and what its caller is told. Pure.

import type { ProblemsOf } from "../ports/problem.ts";

/** A run of a repository that is not public, for a commit that its job has not sent. */
export type CommitMissingRefusal = {
  readonly reason: "commit_missing";
  readonly repository: string;
  readonly sha: string;
};

/** A run that no job asks for: no commit of its session or of the default branch is known, or held. */
export type CommitUnknownRefusal = {
  readonly reason: "commit_unknown";
  readonly repository: string;
  readonly isPublic: boolean;
  /** The commit that was known and is not held any more. */
  readonly goneSha: string | null;
};

export const commitProblems: ProblemsOf<CommitMissingRefusal | CommitUnknownRefusal> = {
  commit_missing: ({ repository, sha }) => ({
    status: 409,
    code: "commit_missing",
    message: `${repository} is not public, and the service does not hold commit ${sha}. It never clones such a repository: send the commit before the run, by PUT /v1/ci/commits/${sha}. This version of the action and of the command do.`,
  }),
  commit_unknown: ({ repository, isPublic, goneSha }) => ({
    status: 409,
    code: "commit_unknown",
    message:
      goneSha === null
        ? `It is not known which commit of ${repository} this run is to work on: no job of its default branch has ${isPublic ? "run" : "sent one"}. Run the agent once from the repository's CI, on its default branch, then ask again.`
        : `Commit ${goneSha} of ${repository} is not held any more, and the service never clones a repository that is not public. Run the agent from the repository's CI, on its default branch, which sends the newest commit, then ask again.`,
  }),
};

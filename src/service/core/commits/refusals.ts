// Refusals for a run whose commit is not there, and their problems. Pure.

import { conflict, type ProblemTable, type RefusalOf } from "../ports/problem.ts";

export const commitProblems = {
  commit_missing: ({ repository, sha }: { repository: string; sha: string }) =>
    conflict(
      "commit_missing",
      `${repository} is not public, and the service does not hold commit ${sha}. It never clones such a repository: send the commit before the run, by PUT /v1/ci/commits/${sha}. This version of the action and of the command do.`,
    ),
  commit_unknown: (refusal: {
    repository: string;
    isPublic: boolean;
    /** The commit that was known and is not held any more. */
    goneSha: string | null;
  }) =>
    conflict(
      "commit_unknown",
      refusal.goneSha === null
        ? `It is not known which commit of ${refusal.repository} this run is to work on: no job of its default branch has ${refusal.isPublic ? "run" : "sent one"}. Run the agent once from the repository's CI, on its default branch, then ask again.`
        : `Commit ${refusal.goneSha} of ${refusal.repository} is not held any more, and the service never clones a repository that is not public. Run the agent from the repository's CI, on its default branch, which sends the newest commit, then ask again.`,
    ),
} satisfies ProblemTable;

/** A run of a repository that is not public, for a commit that its job has not sent. */
export type CommitMissingRefusal = RefusalOf<typeof commitProblems, "commit_missing">;

/** A run that no job asks for: no commit of its session or of the default branch is known, or held. */
export type CommitUnknownRefusal = RefusalOf<typeof commitProblems, "commit_unknown">;

// What a run works on: its commit, where that is, and a pull request's base. Pure.

import type { CommitPlace } from "../ci-jobs/job-identity.ts";
import type { RunInput } from "../runs/run-record.ts";

/** The job's, or the one that was chosen for an account's own run. Null where the run has none. */
export function placeOf({ job, commit }: Pick<RunInput, "job" | "commit">): CommitPlace | null {
  return job ?? commit?.place ?? null;
}

/** The run's commit first, then that of the pull request's base. */
export function commitsOf(input: Pick<RunInput, "job" | "commit" | "pullRequest">): readonly string[] {
  const place = placeOf(input);
  if (place === null) return [];
  if (input.pullRequest === undefined) return [place.sha];
  const { headSha, baseSha } = input.pullRequest;
  return baseSha === undefined ? [headSha] : [headSha, baseSha];
}

// The commit of a run, its place, and a pull request's base. Pure.

import type { CommitOrigin } from "../../../contract/runs/run.ts";
import type { CommitPlace, JobIdentity } from "../ci-jobs/job-identity.ts";

/** The pull request that a run works on, in the repository of the submitting job. */
export type PullRequestHead = {
  readonly number: number;
  /** The provider's ref of it, which follows the pull request: `refs/pull/7/head`. */
  readonly headRef: string;
  /** The requested commit. */
  readonly headSha: string;
  /** The name of the target branch, without `refs/heads/`. */
  readonly baseRef: string;
  /** Its newest commit, where the job said it. */
  readonly baseSha?: string;
};

/** The commit of a run that no job asked for, chosen when it was submitted. */
export type RunCommit = { readonly from: CommitOrigin; readonly place: CommitPlace };

/** The source of a run, as its input says it. */
export type RunSource = {
  /** The submitting CI job; null for an account's own run. */
  readonly job: JobIdentity | null;
  /** The commit of an account's own run. Absent: it needs no commit, or a job says it. */
  readonly commit?: RunCommit;
  /** The pull request that the run works on instead of the job's commit. */
  readonly pullRequest?: PullRequestHead;
};

/** The job's, or the one that was chosen for an account's own run. Null where the run has none. */
export function placeOf({ job, commit }: Pick<RunSource, "job" | "commit">): CommitPlace | null {
  return job ?? commit?.place ?? null;
}

/** The run's commit first, then that of the pull request's base. */
export function commitsOf(input: RunSource): readonly string[] {
  const place = placeOf(input);
  if (place === null) return [];
  if (input.pullRequest === undefined) return [place.sha];
  const { headSha, baseSha } = input.pullRequest;
  return baseSha === undefined ? [headSha] : [headSha, baseSha];
}

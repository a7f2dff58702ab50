// The identity of a CI job, once its token is verified. Pure.

import type { Visibility } from "../../../contract/ci/exchange.ts";

/** The claims that the service relies on, under names of its own. Built by a verifier only. */
export type JobIdentity = {
  /** The issuer's configured `provider`: "github", "gitlab" … */
  readonly provider: string;
  readonly issuer: string;
  readonly repository: {
    /** The provider's own id, a number or a UUID, as text. */
    readonly id: string;
    readonly ownerId: string;
    /** `owner/name` when the token was made, or the provider's equivalent. A label, never a key. */
    readonly name: string;
    readonly visibility: Visibility;
  };
  /** The commit that the job runs on, 40 or 64 hexadecimal digits. */
  readonly sha: string;
  readonly ref: string;
  /** "push", "schedule", and "pull_request" for every provider's; other events have the provider's own names. */
  readonly event: string;
  /** The branch that a pull request wants to change, where the event is one. */
  readonly baseRef: string | null;
  /** The provider's id of who started the job. Null where no claim says it. */
  readonly actorId: string | null;
  /** The file that started the job and its ref: `.github/workflows/agent.yml@refs/heads/main`. Null where no claim says it. */
  readonly workflow: string | null;
  readonly runId: string;
  /** GitHub's number of the attempt; elsewhere the job's id, which is another for each retry. */
  readonly runAttempt: string;
  /** The address that the repository is cloned from: the issuer's configured template, filled in. */
  readonly cloneUrl: string;
  /** The repository's default branch, as the job states it: no token names it. Absent where it states none. */
  readonly defaultBranch?: string;
};

/** The place of a commit, and the job that made it known: the event and the branches say whether writers made it. */
export type CommitPlace = Pick<
  JobIdentity,
  "provider" | "issuer" | "repository" | "sha" | "ref" | "event" | "baseRef" | "cloneUrl"
>;

/** Statements of a job beside its token. It is not verified. */
export type JobStatement = {
  /** The commit that it runs on: some providers' tokens name none. */
  readonly sha: string | null;
  readonly defaultBranch?: string;
};

/** A verified token: the job's identity, and what identifies a second use of the token. */
export type VerifiedToken = {
  readonly job: JobIdentity;
  /** The `jti`, or a hash of the signature where there is none: unique within the issuer. */
  readonly replayKey: string;
  /** Milliseconds since the epoch: `exp` plus the clock skew that was allowed. */
  readonly usableUntil: number;
};

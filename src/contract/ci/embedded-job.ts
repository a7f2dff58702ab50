// The job that a process passes to the service that it starts. Pure.

/** A job as it describes itself to a service that lives inside it. Not verified: the service works only for this job. */
export type EmbeddedJob = {
  readonly provider: string;
  readonly repository: { readonly id: string; readonly ownerId: string };
  /** `owner/name`. Null: the checkout's origin names it. */
  readonly repositoryName: string | null;
  /** Decides whether the job is trusted. "local" where no CI provider started it. */
  readonly event: string;
  /** Null: read from the checkout. */
  readonly sha: string | null;
  readonly ref: string | null;
  readonly baseRef: string | null;
  readonly runId: string;
  readonly runAttempt: string;
};

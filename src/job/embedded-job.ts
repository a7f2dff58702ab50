// What a job's variables say of it, for a service that lives inside the job. Nobody verifies it. Pure.

import { isInCi } from "../ci/detect.ts";
import { readJobRefs } from "../ci/job-refs.ts";
import type { CiJob, Environment } from "../ci/provider.ts";
import type { ProviderDefinition } from "../ci/provider-definition.ts";

/** As the embedded service takes it: what it works on, and the event, which decides whether the job is trusted. */
export type EmbeddedJob = {
  readonly provider: string;
  readonly repository: { readonly id: string; readonly ownerId: string };
  /** Null: the checkout's origin names it. */
  readonly repositoryName: string | null;
  readonly event: string;
  readonly sha: string | null;
  readonly ref: string | null;
  readonly baseRef: string | null;
  readonly runId: string;
  readonly runAttempt: string;
};

export type JobDescription = {
  readonly job: CiJob;
  readonly env: Environment;
  /** Of the job's provider. */
  readonly definition: Pick<ProviderDefinition, "variables" | "environment">;
};

export function embeddedJob({ job, env, definition }: JobDescription): EmbeddedJob {
  const { ownerId, ref, baseRef } = readJobRefs(definition.variables, env);
  return {
    provider: job.provider,
    repository: { id: job.repository.id || "0", ownerId: ownerId ?? "0" },
    // Where the variables do not have the name, the checkout's origin has it.
    repositoryName: (definition.environment.hasRepositoryName && job.repository.name) || null,
    event: job.event,
    sha: job.sha || null,
    ref,
    baseRef,
    runId: job.runId || "0",
    runAttempt: String(job.attempt ?? 1),
  };
}

/** Somebody's own machine; or a CI that is not supported, whose jobs anybody may have started. */
export function unknownJob(env: Environment): EmbeddedJob {
  const origin = isInCi(env) ? "ci" : "local";
  return {
    provider: origin,
    repository: { id: "0", ownerId: "0" },
    repositoryName: null,
    event: origin,
    sha: null,
    ref: null,
    baseRef: null,
    runId: "0",
    runAttempt: "1",
  };
}

// The job by its own variables, for a service that lives inside the job. Nobody verifies it. Pure.

import type { Environment } from "../base/environment.ts";
import { isInCi } from "../ci/detect.ts";
import { readJobRefs } from "../ci/job-refs.ts";
import type { CiJob } from "../ci/provider.ts";
import type { ProviderDefinition } from "../ci/provider-definition.ts";
import type { EmbeddedJob } from "../contract/ci/embedded-job.ts";

type JobDescription = {
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

// The service inside this process, for `agent-service run --embedded`: loaded only there, as it is all of the service.

import { tmpdir } from "node:os";
import { isInCi, readJobRefs } from "../ci/job-refs.ts";
import type { CiJob, Environment } from "../ci/provider.ts";
import {
  type EmbeddedJob,
  type EmbeddedService,
  EmbeddedSettingsError,
  findCheckoutRoot,
  startEmbeddedService,
} from "../service/embedded/embedded.ts";
import { SandboxError } from "../service/main.ts";
import { CommandError } from "./command-error.ts";
import { UsageError } from "./flags.ts";
import { note } from "./run-notes.ts";
import type { RunService } from "./run-service.ts";

const NO_MODEL_TEXT =
  "No model is configured, so the agent briefs you on the repository and does nothing else. " +
  "Set MODEL, MODEL_BASE_URL and MODEL_API_KEY, or --model and --model-base-url.";

/** What the embedded service's issuer calls itself is its own affair. */
const NO_AUDIENCE = "";

/** Starts it on the checkout that this folder is in. Rejects with UsageError and CommandError. */
export async function openEmbedded(
  model: Readonly<Record<string, string>>,
  { env, job }: { env: Environment; job: CiJob | null },
): Promise<RunService> {
  const root = await findCheckoutRoot(process.cwd());
  if (root === null) {
    throw new CommandError("There is no git checkout in this folder, nor above it. Change to one.");
  }
  const service = await start({
    root,
    model,
    env,
    job: job === null ? strayJob(env) : embeddedJob(job, env),
  });
  if (!service.hasModel) note(NO_MODEL_TEXT);
  return {
    baseUrl: service.url,
    audience: NO_AUDIENCE,
    account: null,
    tokens: { mintIdToken: service.mintIdToken },
    sha: job?.sha ?? "",
    job,
    isEmbedded: true,
    hasModel: service.hasModel,
    close: service.close,
  };
}

type Start = {
  readonly root: string;
  readonly model: Readonly<Record<string, string>>;
  readonly env: Environment;
  readonly job: EmbeddedJob;
};

async function start({ root, model, env, job }: Start): Promise<EmbeddedService> {
  try {
    return await startEmbeddedService({
      job,
      root,
      tempFolder: tmpdir(),
      environment: env,
      model,
      onWarning: note,
    });
  } catch (cause) {
    if (cause instanceof EmbeddedSettingsError) throw new UsageError(cause.message, { cause });
    if (cause instanceof SandboxError) throw new CommandError(cause.message, { cause });
    throw cause;
  }
}

/** The job as its variables have it: what it works on, and whether writers alone could have started it. */
function embeddedJob(job: CiJob, env: Environment): EmbeddedJob {
  const { ownerId, ref, baseRef } = readJobRefs(job.provider, env);
  return {
    provider: job.provider,
    repository: { id: job.repository.id || "0", ownerId: ownerId ?? "0" },
    // A pipeline of Buildkite need not be named as its repository is: the checkout knows.
    repositoryName: job.provider === "buildkite" ? null : job.repository.name || null,
    event: job.event,
    sha: job.sha || null,
    ref,
    baseRef,
    runId: job.runId || "0",
    runAttempt: String(job.attempt ?? 1),
  };
}

/** Somebody's own machine; or a CI that is not known here, whose jobs may be anybody's. */
function strayJob(env: Environment): EmbeddedJob {
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

// The service inside this job: a bundle of its own under dist/, loaded only where the inputs name no service.

import { tmpdir } from "node:os";
import * as core from "@actions/core";
import { github } from "../ci/github.ts";
import type { CiJob, Environment } from "../ci/provider.ts";
import type { EmbeddedReadiness } from "../doctor/examination.ts";
import { embeddedJob } from "../job/embedded-job.ts";
import type { JobService } from "../job/job-types.ts";
import { StepError } from "../job/step-error.ts";
import type { ModelInputs } from "./inputs.ts";
import { sayLine } from "./say-line.ts";

export type EmbeddedOptions = {
  readonly env: Environment;
  readonly job: CiJob;
  readonly model: ModelInputs | null;
  /** Why the agent cannot see the change that the job is about; null where it can. */
  readonly changeNotice: string | null;
};

const MODEL_ADVICE =
  "Give the step a model, " +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow, not of ours.
  "such as model: claude-sonnet-5, model-provider: anthropic, model-api-key: ${{ secrets.ANTHROPIC_API_KEY }}.";

/** Set by inputs alone: a job may have variables of these names for another purpose. */
const inputSettings = ["MODEL", "MODEL_BASE_URL", "MODEL_API_KEY", "MODEL_PROVIDER"];

/** Starts it on the job's checkout. Rejects with StepError for a setting that is wrong. */
export async function startService({ env, job, model, changeNotice }: EmbeddedOptions): Promise<JobService> {
  const { startEmbeddedService } = await import("../service/embedded/embedded.ts");
  const others = Object.entries(env).filter(([name]) => !inputSettings.includes(name));
  try {
    const { url, mintIdToken, close } = await startEmbeddedService({
      job: embeddedJob({ job, env, definition: github }),
      root: env.GITHUB_WORKSPACE || ".",
      tempFolder: env.RUNNER_TEMP || tmpdir(),
      environment: Object.fromEntries(others),
      model: modelSettings(model),
      onWarning: sayLine,
    });
    return {
      type: "embedded",
      baseUrl: url,
      tokens: { mintIdToken },
      changeNotice,
      modelAdvice: MODEL_ADVICE,
      close: () => close().catch(() => core.warning("The service inside this job left its folder behind.")),
    };
  } catch (cause) {
    throw stepErrorOf(cause);
  }
}

/** Which model and sandbox a service inside this job would use. */
export async function examineEmbedded(
  env: Environment,
  model: ModelInputs | null,
): Promise<EmbeddedReadiness> {
  const service = await import("../service/embedded/embedded.ts");
  return await service.examineEmbedded({
    environment: env,
    model: modelSettings(model),
    tempFolder: env.RUNNER_TEMP || tmpdir(),
  });
}

/** The inputs as settings of the service. */
export function modelSettings(model: ModelInputs | null): Record<string, string> {
  if (model === null) return {};
  const { name, baseUrl, apiKey, provider } = model;
  return {
    MODEL: name,
    ...(baseUrl === null ? {} : { MODEL_BASE_URL: baseUrl }),
    ...(apiKey === null ? {} : { MODEL_API_KEY: apiKey }),
    ...(provider === "auto" ? {} : { MODEL_PROVIDER: provider }),
  };
}

/** Codes of the embedded service's errors that the user can do something about. */
const embeddedReasons = ["invalid_settings", "sandbox_not_started", "sandbox_not_watched"] as const;

/** The bundle has its own copies of the error classes, so the code decides. */
function stepErrorOf(cause: unknown): unknown {
  if (!(cause instanceof Error && "code" in cause)) return cause;
  const reason = embeddedReasons.find((known) => known === cause.code);
  return reason === undefined ? cause : new StepError(reason, cause.message, { cause });
}

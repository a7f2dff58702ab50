// The service inside this job: a bundle of its own under dist/, loaded only where no other service is named.

import { tmpdir } from "node:os";
import type { CiJob, CiProvider, Environment } from "../ci/provider.ts";
import type { EmbeddedReadiness } from "../doctor/examination.ts";
import { StepError } from "../job/step-error.ts";
import type { EmbeddedService } from "../service/embedded/embedded.ts";
import type { ModelInputs } from "./inputs.ts";

export type EmbeddedOptions = {
  readonly env: Environment;
  readonly job: CiJob;
  readonly model: ModelInputs | null;
  readonly onWarning: (message: string) => void;
};

export type { EmbeddedService };

/** What the step says where nobody has set a model. */
export const NO_MODEL_TEXT =
  "No model is configured, so the agent briefs you on the repository and does nothing else. Give the step a model, " +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow, not of ours.
  "such as model: claude-sonnet-5, model-provider: anthropic, model-api-key: ${{ secrets.ANTHROPIC_API_KEY }}.";

/** The inputs are the only way in: a job may have variables of these names for something else. */
const inputSettings = ["MODEL", "MODEL_BASE_URL", "MODEL_API_KEY", "MODEL_PROVIDER"];

/** Starts it on the job's checkout. Rejects with StepError for a setting that is wrong. */
export async function startService(options: EmbeddedOptions): Promise<EmbeddedService> {
  const { env, job, model, onWarning } = options;
  const { startEmbeddedService } = await import("../service/embedded/embedded.ts");
  const others = Object.entries(env).filter(([name]) => !inputSettings.includes(name));
  try {
    return await startEmbeddedService({
      job: {
        provider: job.provider,
        repository: { id: job.repository.id || "0", ownerId: env.GITHUB_REPOSITORY_OWNER_ID || "0" },
        repositoryName: job.repository.name || null,
        event: job.event,
        sha: job.sha || null,
        ref: env.GITHUB_REF || null,
        baseRef: env.GITHUB_BASE_REF || null,
        runId: job.runId || "0",
        runAttempt: String(job.attempt),
      },
      root: env.GITHUB_WORKSPACE || ".",
      tempFolder: env.RUNNER_TEMP || tmpdir(),
      environment: Object.fromEntries(others),
      model: modelSettings(model),
      onWarning,
    });
  } catch (cause) {
    throw stepErrorOf(cause);
  }
}

/** What a service inside this job would have to work with. */
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

/** The job as it is, with tokens of the service's own in the place of the provider's. */
export function embeddedProvider(job: CiJob, service: EmbeddedService): CiProvider {
  return { job, mintIdToken: () => service.mintIdToken() };
}

/** What the service calls what the inputs say. */
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

/** Errors of that bundle have classes of their own: their codes tell. */
function stepErrorOf(cause: unknown): unknown {
  if (!(cause instanceof Error && "code" in cause && typeof cause.code === "string")) return cause;
  const isOurs = cause.code === "invalid_settings" || cause.code.startsWith("sandbox_");
  return isOurs ? new StepError(cause.code, cause.message, { cause }) : cause;
}

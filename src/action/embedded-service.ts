// The service inside this job: a bundle of its own under dist/, loaded only where the inputs name no service.

import { tmpdir } from "node:os";
import * as core from "@actions/core";
import type { Environment } from "../base/environment.ts";
import { github } from "../ci/github.ts";
import type { CiJob, CiProvider } from "../ci/provider.ts";
import type { EgressEntries } from "../contract/egress.ts";
import { priceText } from "../contract/models/model-price.ts";
import { exampleModel, modelProviders } from "../contract/models/providers.ts";
import type { EmbeddedReadiness } from "../doctor/examination.ts";
import type { RenewedAccess } from "../federation/federated-access.ts";
import { embeddedJob } from "../job/embedded-job.ts";
import type { JobService } from "../job/job-types.ts";
import { actionWords } from "../job/job-words.ts";
import { type NamedServers, variablesIn } from "../job/mcp-servers.ts";
import { openServerMint } from "../job/mint-server-token.ts";
import { StepError } from "../job/step-error.ts";
import type { ModelInputs } from "./model-inputs.ts";
import { sayLine } from "./say-line.ts";

type EmbeddedOptions = {
  readonly env: Environment;
  readonly job: CiJob;
  /** Its ID tokens. */
  readonly tokens: Pick<CiProvider, "mintIdToken">;
  readonly model: ModelInputs | null;
  /** Network access of the run. */
  readonly egress: EgressEntries;
  /** MCP servers of the run; null: none. */
  readonly mcpServers: NamedServers | null;
  /** By whose account the model is reached; null: by its key. */
  readonly modelAccess: RenewedAccess | null;
  /** Why the agent cannot see the change that the job is about; null where it can. */
  readonly changeNotice: string | null;
};

const { provider: PROVIDER, name: MODEL } = exampleModel;
const MODEL_ADVICE =
  `Give the step a model, such as model: ${MODEL}, model-provider: ${PROVIDER}, ` +
  `model-api-key: \${{ secrets.${modelProviders[PROVIDER].keyVariable} }}. ` +
  "docs/keyless-models.md shows how without a key.";

/** Set by inputs alone: a job may have variables of these names for another purpose. */
const inputSettings = [
  "MODEL",
  "FALLBACK_MODEL",
  "EXPLORE_MODEL",
  "MODEL_BASE_URL",
  "MODEL_API_KEY",
  "MODEL_PROVIDER",
  "MODEL_EFFORT",
  "MODEL_PRICE",
  "MODEL_IDENTITY",
  "MODEL_IDENTITY_TOKEN_FILE",
  "ACP_AGENT",
  "COPILOT_API_URL",
];

/** Starts it on the job's checkout. Rejects with StepError for a setting that is wrong. */
export async function startService(options: EmbeddedOptions): Promise<JobService> {
  const { env, job, model, egress, mcpServers, modelAccess, changeNotice } = options;
  const { checkoutAdvice, findCheckoutRoot, startEmbeddedService } = await import(
    "../service/embedded/embedded.ts"
  );
  if ((await findCheckoutRoot(rootOf(env))) === null) {
    const advice = checkoutAdvice("github");
    throw new StepError("checkout_missing", `This job has no checkout to work on. ${advice}`);
  }
  // They are the workflow's secrets as a rule, which the runner masks anyway.
  for (const name of mcpServers === null ? [] : variablesIn(mcpServers)) {
    const value = env[name] ?? "";
    if (value !== "") core.setSecret(value);
  }
  const others = Object.entries(env).filter(([name]) => !inputSettings.includes(name));
  try {
    const { url, mintIdToken, close } = await startEmbeddedService({
      job: embeddedJob({ job, env, definition: github }),
      root: rootOf(env),
      tempFolder: env.RUNNER_TEMP || tmpdir(),
      environment: Object.fromEntries(others),
      model: { ...modelSettings(model), ...(mcpServers === null ? {} : { MCP_SERVERS: mcpServers.text }) },
      egress,
      modelAccess,
      mintServerToken: openServerMint({ ...options, setSecret: core.setSecret }),
      onWarning: sayLine,
    });
    return {
      type: "embedded",
      baseUrl: url,
      modelAccess,
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
    asksByKey: (model?.federation ?? null) === null,
    root: rootOf(env),
    tempFolder: env.RUNNER_TEMP || tmpdir(),
  });
}

function rootOf(env: Environment): string {
  return env.GITHUB_WORKSPACE || ".";
}

/** The inputs as settings of the service. */
function modelSettings(model: ModelInputs | null): Record<string, string> {
  if (model === null) return {};
  const { name, fallback, explorer, agent, baseUrl, apiKey, provider, effort, price } = model;
  return {
    ...(name === null ? {} : { MODEL: name }),
    ...(fallback === null ? {} : { FALLBACK_MODEL: fallback }),
    ...(explorer === null ? {} : { EXPLORE_MODEL: explorer }),
    ...(baseUrl === null ? {} : { [provider === "copilot" ? "COPILOT_API_URL" : "MODEL_BASE_URL"]: baseUrl }),
    ...(apiKey === null ? {} : { MODEL_API_KEY: apiKey }),
    ...(agent === null ? {} : { ACP_AGENT: agent }),
    ...(provider === "auto" || provider === "copilot" ? {} : { MODEL_PROVIDER: provider }),
    ...(effort === null ? {} : { MODEL_EFFORT: effort }),
    ...(price === null ? {} : { MODEL_PRICE: priceText(price) }),
  };
}

/** Codes of the embedded service's errors that the user can do something about. */
const embeddedReasons = [
  "agent_not_installed",
  "invalid_settings",
  "sandbox_not_started",
  "sandbox_not_watched",
] as const;

/** The bundle has its own copies of the error classes, so the code decides. */
function stepErrorOf(cause: unknown): unknown {
  if (!(cause instanceof Error && "code" in cause)) return cause;
  const reason = embeddedReasons.find((known) => known === cause.code);
  const message = actionWords.withSettingNames(
    cause.message.replaceAll("MCP_SERVERS:", 'Input "mcp-servers":'),
  );
  return reason === undefined ? cause : new StepError(reason, message, { cause });
}

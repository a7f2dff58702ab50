// The settings of `agent-service run` from its flags. Every wrong one is named before anything is sent.

import { readFile } from "node:fs/promises";
import { isConfidential } from "../base/confidential-url.ts";
import { builtInAgentsSettings } from "../contract/ci/coding-agents.ts";
import type { EgressEntries } from "../contract/egress.ts";
import { apiOfModel, federationOf } from "../contract/models/federations.ts";
import { priceText } from "../contract/models/model-price.ts";
import { federatedSettings } from "../federation/federation-settings.ts";
import type { ModelFederation } from "../federation/provider.ts";
import {
  type AttemptSettings,
  type CloneMode,
  type cancelActions,
  type OutputSchema,
  outputSchema,
  type SetupChoice,
} from "../job/job-settings.ts";
import {
  faultsOfSentServers,
  type JobsServer,
  jobsServers,
  mcpServers,
  type NamedServers,
} from "../job/mcp-servers.ts";
import type { FailOn } from "../report/conclusion.ts";
import type { Severity } from "../report/findings.ts";
import { readServiceUrl } from "./account.ts";
import { UsageError } from "./flags.ts";
import { readFederationFlags } from "./model-flags.ts";
import type { RunFlags } from "./run-flags.ts";
import { readPrompt } from "./run-prompt.ts";
import { readWriteBack, type WriteBackSettings } from "./write-back-settings.ts";

const RUN_USAGE = "run [--embedded | --base-url <url>] <prompt>";

export type RunSettings = {
  readonly prompt: string;
  readonly service: ServiceSettings;
  readonly sessionId: string | null;
  /** Null for the service's default budget. */
  readonly maxTurnTokens: number | null;
  readonly maxCostMicroUsd: number | null;
  readonly attempts: AttemptSettings;
  readonly outputSchema: OutputSchema | null;
  /** Null: the default script, where it exists. */
  readonly setup: SetupChoice | null;
  /** Network access of the run. Null: what the agent's owner has set. */
  readonly egress: EgressEntries | null;
  /** MCP servers that are sent with the run. */
  readonly mcpServers: NamedServers | null;
  readonly timeoutMs: number;
  /** The time that a run which has begun may be silent. Null for ever. */
  readonly idleMs: number | null;
  readonly onCancel: (typeof cancelActions)[number];
  /** The way in which the service gets the job's commit. */
  readonly clone: CloneMode;
  readonly failOn: FailOn;
  /** The least severe finding that fails the job. Null: none does. */
  readonly failOnSeverity: Severity | null;
  /** What the job writes on the code host. Null: nothing. */
  readonly writeBack: WriteBackSettings | null;
  /** Null: the default folder in a CI job, none elsewhere. */
  readonly outputDir: string | null;
  readonly format: "text" | "ndjson";
};

export type ServiceSettings =
  /** The base URL is without a trailing slash. */
  | {
      readonly type: "remote";
      readonly baseUrl: string;
      readonly audience: string;
      readonly account: string | null;
      /** Null: the service's own. */
      readonly model: ChosenModel | null;
      /** MCP servers to which the job proves itself. */
      readonly servers: readonly JobsServer[];
    }
  | {
      readonly type: "embedded";
      /** Settings of the model by name, as the service has them. */
      readonly model: Readonly<Record<string, string>>;
      /** Network access of the run. */
      readonly egress: EgressEntries;
      /** By whose trust the job gets a token in place of a key; null: by none. */
      readonly federation: ModelFederation | null;
    };

/** A model that a service is given for this run. */
type ChosenModel = { readonly name: string; readonly federation: ModelFederation };

/** Reads the prompt and the schema from where the flags say. Rejects with UsageError. */
export async function readRunSettings(values: RunFlags, words: readonly string[]): Promise<RunSettings> {
  const given = readService(values);
  if (given.type === "embedded") refuseLasting(values);
  const named = await readServersFile(values["mcp-servers"]);
  const writeBack = readWriteBack(values);
  const isSent = given.type === "remote" && named !== null;
  for (const fault of isSent ? faultsOfSentServers(named) : [])
    throw new UsageError(`--mcp-servers: ${fault}.`);
  // A service inside this process has them from its settings, with their secrets.
  const service =
    named === null
      ? given
      : given.type === "remote"
        ? { ...given, servers: jobsServers(named) }
        : { ...given, model: { ...given.model, MCP_SERVERS: named.text } };
  return {
    service,
    mcpServers: isSent ? named : null,
    sessionId: values.session,
    maxTurnTokens: values["max-turn-tokens"],
    maxCostMicroUsd: values["max-cost"],
    attempts: readAttempts(values),
    egress: values.egress,
    timeoutMs: 60_000 * values["timeout-minutes"],
    idleMs: 60_000 * values["idle-minutes"] || null,
    onCancel: values["on-cancel"],
    clone: values.clone,
    failOn: values["fail-on"],
    failOnSeverity: writeBack?.review?.threshold ?? null,
    writeBack,
    outputDir: values["output-dir"],
    format: values.json ? "ndjson" : "text",
    setup: values.setup,
    outputSchema: await readSchema(values["output-schema"]),
    prompt: await readPrompt({ words, file: values["prompt-file"] ?? undefined, usage: RUN_USAGE }),
  };
}

/** With one attempt, the count follows from the models. */
function readAttempts({ "best-of": bestOf, "best-of-models": bestOfModels }: RunFlags): AttemptSettings {
  const models = bestOfModels?.length ?? 0;
  if (bestOf > 1 && models > bestOf) {
    throw new UsageError(
      `--best-of-models names ${models} models, and --best-of ${bestOf} has an attempt for ${bestOf} of them. Raise --best-of, or leave it out.`,
    );
  }
  return { bestOf, bestOfModels };
}

function readService(values: RunFlags): ServiceSettings {
  if (!values.embedded) return readRemote(values);
  if (values["base-url"] !== null) {
    throw new UsageError("--embedded and --base-url exclude each other: give one of them.");
  }
  if (values.agent !== "built-in") refuseBuiltInsFlags(values);
  const federation = readModelFederation(values);
  const name = federation === null ? values.model : readModelName(values, federation);
  const own = federation === null || name === null ? null : federatedSettings(federation, name);
  const model = {
    MODEL: name,
    FALLBACK_MODEL: values["fallback-model"],
    EXPLORE_MODEL: values["explore-model"],
    MODEL_BASE_URL: own?.baseUrl ?? values["model-base-url"],
    MODEL_PROVIDER: own?.provider ?? values["model-provider"],
    MODEL_EFFORT: values.effort,
    MODEL_PRICE: values["model-price"] === null ? null : priceText(values["model-price"]),
    ACP_AGENT: values.agent === "built-in" ? null : values.agent,
  };
  const given = Object.entries(model).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return { type: "embedded", model: Object.fromEntries(given), egress: values.egress ?? [], federation };
}

/** Another agent would not obey them. */
function refuseBuiltInsFlags(values: RunFlags): void {
  for (const name of builtInAgentsSettings) {
    if (values[name] !== null)
      throw new UsageError(`--${name} is for the built-in agent: remove it, or --agent ${values.agent}.`);
  }
}

/** Null where no identifier of a provider is given. */
function readModelFederation(values: RunFlags): ModelFederation | null {
  const federation = readFederationFlags(values);
  if (federation === null) return null;
  const { title } = federationOf(federation.provider);
  const { baseUrl } = apiOfModel(federation, values.model ?? "");
  if (values["model-base-url"] !== null) {
    throw new UsageError(
      `--model-base-url and the identifiers of ${title} exclude each other: its token goes to ${baseUrl} alone.`,
    );
  }
  const named = values["model-provider"];
  if (named !== null && named !== federation.provider) {
    throw new UsageError(
      `--model-provider must be ${federation.provider} beside the identifiers of ${title}, got "${named}".`,
    );
  }
  return federation;
}

function readModelName({ model }: RunFlags, { provider, identifiers }: ModelFederation): string {
  const { title, findModelFault } = federationOf(provider);
  if (model === null) throw new UsageError(`--model is missing: the model, as ${title} calls it.`);
  const fault = findModelFault(identifiers, model);
  if (fault !== null) throw new UsageError(`--model ${fault}.`);
  return model;
}

function readRemote(values: RunFlags): ServiceSettings {
  const federation = readModelFederation(values);
  if (values.agent !== "built-in") {
    throw new UsageError("--agent is for --embedded: which agent a service runs, its operator says.");
  }
  if (federation !== null) return { ...readAddress(values), model: readHandedModel(values, federation) };
  for (const name of [
    "model",
    "fallback-model",
    "explore-model",
    "model-base-url",
    "model-provider",
    "effort",
    "model-price",
  ] as const) {
    if (values[name] !== null) {
      throw new UsageError(`--${name} is for --embedded: a service has models of its own.`);
    }
  }
  return { ...readAddress(values), model: null };
}

function readAddress(values: RunFlags): Omit<Extract<ServiceSettings, { type: "remote" }>, "model"> {
  const baseUrl = readBaseUrl(values["base-url"]);
  return {
    type: "remote",
    baseUrl,
    audience: values.audience ?? new URL(baseUrl).host,
    account: values.account,
    servers: [],
  };
}

/** A token of a model is handed to nobody on the way, and needs a job that renews it. */
function readHandedModel(values: RunFlags, federation: ModelFederation): ChosenModel {
  const name = readModelName(values, federation);
  if (values["on-cancel"] === "detach") {
    throw new UsageError(
      "--on-cancel detach ends the job too early: a run with the job's own model account needs the job, which renews its token.",
    );
  }
  if (!isConfidential(readAddress(values).baseUrl)) {
    throw new UsageError(
      "--base-url is plain http: anybody on the network path could read the model's token. Use https.",
    );
  }
  return { name, federation };
}

function readBaseUrl(value: string | null): string {
  if (value !== null) return value;
  try {
    return readServiceUrl("--base-url");
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    throw new UsageError(
      `${cause.message} Without a service, on a checkout, it works with --embedded: agent-service run --embedded <prompt>`,
      { cause },
    );
  }
}

/** Refuses settings that need a service which outlives the job. */
function refuseLasting(values: RunFlags): void {
  const named = (["session", "account", "audience"] as const)
    .filter((name) => values[name] !== null)
    .map((name) => `--${name}`);
  if (values["best-of"] !== 1) named.push("--best-of");
  if (values["best-of-models"] !== null) named.push("--best-of-models");
  if (values.clone === "push") named.push("--clone push");
  if (values["on-cancel"] === "detach") named.push("--on-cancel detach");
  if (named.length === 0) return;
  throw new UsageError(
    `${named.join(", ")} needs a service that outlives this command: name one with --base-url.`,
  );
}

/** The word for the repository's own is no file: the one that is checked out may be an outsider's. */
async function readServersFile(path: string | null): Promise<NamedServers | null> {
  if (path === null) return null;
  const word = mcpServers.decode(path);
  if (word.ok) return word.value;
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new UsageError(`--mcp-servers names the file "${path}", which cannot be read.`, { cause });
  });
  const decoded = mcpServers.decode(text.trim());
  if (decoded.ok) return decoded.value;
  throw new UsageError(`--mcp-servers must name a file with ${mcpServers.allowed}, got "${path}".`);
}

async function readSchema(path: string | null): Promise<OutputSchema | null> {
  if (path === null) return null;
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new UsageError(`--output-schema names the file "${path}", which cannot be read.`, { cause });
  });
  const decoded = outputSchema.decode(text.trim());
  if (decoded.ok) return decoded.value;
  throw new UsageError(`--output-schema must name a file with ${outputSchema.allowed}, got "${path}".`);
}

// The embedded service: the whole service in the job's own process, on a loopback port, on the job's own checkout. It
// ends with the job and leaves only what the agent changed.

import { mkdtemp } from "node:fs/promises";
import { basename, join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { readCheckout } from "../../base/git/found-checkout.ts";
import { systemRandom } from "../../base/ids.ts";
import type { Logger } from "../../base/log.ts";
import { type CodingAgentName, codingAgents, installCommand } from "../../contract/ci/coding-agents.ts";
import type { EmbeddedJob } from "../../contract/ci/embedded-job.ts";
import { areFilesTrusted } from "../../contract/ci/events.ts";
import { type CiProviderName, ciProviders } from "../../contract/ci/providers.ts";
import type { EgressEntries } from "../../contract/egress.ts";
import type { ModelProtocol } from "../../contract/models/protocols.ts";
import type { MintIdToken } from "../../federation/mcp/server-grant.ts";
import type { FederatedAccess } from "../../federation/provider.ts";
import { borrowedCheckouts } from "../checkouts/borrowed-checkouts.ts";
import { removeFolder } from "../checkouts/run-folder.ts";
import type { JobIdentity } from "../core/ci-jobs/job-identity.ts";
import type { SandboxKind } from "../core/ports/sandbox.ts";
import { startService } from "../main.ts";
import { findAgentProgram } from "../sandbox/agent-program.ts";
import { findSandbox } from "../sandbox/find-sandbox.ts";
import { findBlockers, type SandboxBlocker } from "../sandbox/sandbox-blockers.ts";
import { SandboxError } from "../sandbox/sandbox-error.ts";
import { type Config, readConfig } from "../settings/config.ts";
import { secretsOfEnvironment } from "../settings/known-secrets.ts";
import { variablesOfJob } from "../settings/server-variables.ts";
import { type SettingName, serviceSettings } from "../settings/service-settings.ts";
import { ownIssuer } from "./own-issuer.ts";

export { findCheckoutRoot } from "../../base/git/found-checkout.ts";

/** Lines to add to a job that has no checkout. */
export function checkoutAdvice(provider: CiProviderName): string {
  return ciProviders[provider].checkout.enable;
}

const ISSUER = "embedded";
/** More than the runs of a job can use. */
const UNLIMITED_CREDITS = "1000000000";
const UNLIMITED_RATE = "1000000";
const READ_CHECKOUT_MS = 30_000;
/** In the place of MCP servers: those that the repository itself names. */
const REPOSITORY_FILE = ".mcp.json";

export type EmbeddedOptions = {
  readonly job: EmbeddedJob;
  /** The checkout's tree, which runs work in. */
  readonly root: string;
  /** A folder for what lives as long as the service. */
  readonly tempFolder: string;
  /** The job's. Of the service's settings, those of the model and of the sandbox are read. */
  readonly environment: Environment;
  /**
   * Settings of the model by name, and its MCP servers, which win over the environment's. Without MODEL there is none. With ACP_AGENT, that
   * agent asks it.
   */
  readonly model: Readonly<Record<string, string>>;
  /** Network access of runs: there is no owner who would have a say. */
  readonly egress: EgressEntries;
  /** By whose account the model is reached. Default: by its key, where it has one. */
  readonly modelAccess?: FederatedAccess | null;
  /** ID tokens of the job for the authorization servers of its MCP servers. Default: there are none. */
  readonly mintServerToken?: MintIdToken | null;
  /** Called for each warning and error. */
  readonly onWarning: (message: string) => void;
};

export type EmbeddedService = {
  /** Without a trailing slash. */
  readonly url: string;
  /** A token for one exchange with this service. */
  mintIdToken(): Promise<string>;
  /** Ends all runs and removes everything but the checkout. Safe to repeat. */
  close(): Promise<void>;
};

/** A setting is wrong: one line each. */
export class EmbeddedSettingsError extends Error {
  readonly code = "invalid_settings";
}

/** Starts it. Rejects with EmbeddedSettingsError, or with nothing left behind when a part cannot start. */
export async function startEmbeddedService(options: EmbeddedOptions): Promise<EmbeddedService> {
  const { root, environment } = options;
  const folder = await mkdtemp(join(options.tempFolder, "agent-service-"));
  try {
    const asksByKey = (options.modelAccess ?? null) === null;
    const config = embeddedConfig({ ...options, asksByKey }, folder);
    const job = await identityOf(options, folder);
    const issuer = ownIssuer({ job, clock: systemClock, random: systemRandom });
    const service = await startService({
      config,
      log: warningLog(options.onWarning),
      verifier: issuer.verifier,
      checkouts: borrowedCheckouts({ root, folder: join(folder, "checkouts"), environment }),
      freeFor: "everyone",
      egressNeedsOwner: false,
      keepsJournals: false,
      modelAccess: options.modelAccess ?? null,
      mintIdToken: options.mintServerToken ?? null,
      isTrusted: (task) =>
        task.repository !== null && areFilesTrusted({ ...task, provider: options.job.provider }),
    });
    return {
      url: service.url,
      mintIdToken: async () => issuer.mint(),
      close: async () => {
        await service.stop();
        await removeFolder(folder);
      },
    };
  } catch (cause) {
    await removeFolder(folder);
    throw cause;
  }
}

/** The parts that a service in this job would have to work with. */
export type EmbeddedReadiness = {
  /** Settings that are wrong, one line each. Where there are any, nothing else is known. */
  readonly settings: readonly string[];
  /** Null: runs only brief on the repository. */
  readonly model: string | null;
  /** Its address, and its key. Null: there is no model, it is reached without a key, or its agent alone knows. */
  readonly api: EmbeddedModelApi | null;
  /** The coding agent that asks it. Null: the built-in one. */
  readonly agent: AgentReadiness | null;
  /** Null: the configured sandbox does not work; `notes` says why. */
  readonly sandbox: SandboxKind | null;
  /** The blockers of the sandbox, where there is none. */
  readonly blockers: readonly SandboxBlocker[];
  readonly notes: readonly string[];
};

type EmbeddedModelApi = {
  readonly protocol: ModelProtocol;
  readonly baseUrl: string;
  /** Null: the agent chooses one. */
  readonly model: string | null;
  readonly secret: { readonly type: "key" | "github_token"; readonly value: string } | null;
  readonly headers?: Readonly<Record<string, string>>;
};

/** `asksByKey` is false where the job proves itself to the model's provider. */
type Asking = { readonly asksByKey: boolean };

type AgentReadiness = {
  readonly title: string;
  /** Null: it is not installed. */
  readonly program: string | null;
  /** The command that installs it. */
  readonly install: string;
  /** Whether it is not started without a sandbox. */
  readonly needsSandbox: boolean;
};

/** Starts no service; executes one command in the sandbox. */
export async function examineEmbedded(
  given: Pick<EmbeddedOptions, "environment" | "model" | "root" | "tempFolder"> & Asking,
): Promise<EmbeddedReadiness> {
  const notes: string[] = [];
  try {
    const config = embeddedConfig({ ...given, egress: [] }, join(given.tempFolder, "agent-service"));
    const named = config.acp?.agent ?? null;
    const isChosenByAgent = config.acp?.model?.wire === "copilot";
    const model =
      config.model?.models.executor ??
      config.acp?.chosenModel ??
      (isChosenByAgent ? "the agent's choice" : null);
    const agent = named === null ? null : await examineAgent(named, { ...given, config });
    const sandbox = await findSandbox(
      config.sandbox,
      warningLog((note) => notes.push(note)),
    ).then(
      ({ kind }) => kind,
      (cause: unknown) => {
        if (!(cause instanceof SandboxError)) throw cause;
        notes.push(cause.message);
        return null;
      },
    );
    const isMissing = sandbox === null || sandbox === "none";
    const blockers = isMissing ? await findBlockers(config.sandbox.environment.PATH ?? "") : [];
    const api = given.asksByKey ? apiOf(config) : null;
    return { settings: [], model, api, agent, sandbox, blockers, notes };
  } catch (cause) {
    if (!(cause instanceof EmbeddedSettingsError)) throw cause;
    const settings = cause.message.split("\n");
    return { settings, model: null, api: null, agent: null, sandbox: null, blockers: [], notes };
  }
}

function apiOf({ model, acp }: Config): EmbeddedModelApi | null {
  if (model !== null) {
    const { provider: protocol, baseUrl, apiKey, models } = model;
    return { protocol, baseUrl, model: models.executor, secret: keyOf(apiKey) };
  }
  if (acp === null || acp.model === null || acp.agent === null) return null;
  const { wire, baseUrl, apiKey } = acp.model;
  if (wire === "copilot")
    return {
      protocol: "openai-compatible",
      baseUrl,
      model: acp.chosenModel,
      secret: apiKey === null ? null : { type: "github_token", value: apiKey },
      headers: { "copilot-integration-id": "copilot-developer-cli" },
    };
  return {
    protocol: wire === "gemini" ? "google" : wire,
    baseUrl,
    model: acp.chosenModel,
    secret: keyOf(apiKey),
  };
}

function keyOf(apiKey: string | null): EmbeddedModelApi["secret"] {
  return apiKey === null ? null : { type: "key", value: apiKey };
}

async function examineAgent(
  name: CodingAgentName,
  { environment, root, config }: Pick<EmbeddedOptions, "environment" | "root"> & { readonly config: Config },
): Promise<AgentReadiness> {
  const { title, program } = codingAgents[name];
  const found = await findAgentProgram(environment.PATH ?? "", { program, outside: root });
  const needsSandbox = config.sandbox.mode !== "off";
  return { title, program: found?.path ?? null, install: installCommand(name), needsSandbox };
}

/** The configuration of a service in this process. Throws EmbeddedSettingsError. */
export function embeddedConfig(
  {
    environment,
    model,
    egress,
    root,
    asksByKey,
  }: Pick<EmbeddedOptions, "environment" | "model" | "egress" | "root"> & Asking,
  folder: string,
): Config {
  const fixed: Partial<Record<SettingName, string>> = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATA_DIR: folder,
    CI_AUDIENCE: ISSUER,
    CI_FREE_CREDITS: UNLIMITED_CREDITS,
    CI_CAPABILITY_SECONDS: "3600",
    CI_RATE_PER_MINUTE: UNLIMITED_RATE,
    RATE_PER_MINUTE: UNLIMITED_RATE,
    ADDRESS_RATE_PER_MINUTE: UNLIMITED_RATE,
    MAX_RUNNING_RUNS: "1",
    DRAIN_SECONDS: "0",
    RETENTION_DAYS: "0",
    JOURNAL_DAYS: "0",
    BACKEND: backendOf(environment, model),
  };
  const { MCP_SERVERS: servers, ...others } = model;
  const usesRepositorys = servers?.trim() === REPOSITORY_FILE;
  const asked = servers === undefined || usesRepositorys ? {} : { MCP_SERVERS: servers };
  const own = withoutSettings(environment);
  const serverVariables = variablesOfJob(environment);
  const config = readConfig(
    fixed,
    { ...ofAgent(model), ...own, ...others, ...asked },
    { asksByKey, serverVariables },
  );
  if (!config.ok) throw new EmbeddedSettingsError(config.refusal.join("\n"));
  // Also those that are no settings: the job's inputs and tokens.
  const secrets = [...config.value.secrets, ...secretsOfEnvironment(environment)];
  return {
    ...config.value,
    secrets,
    sandbox: { ...config.value.sandbox, job: { checkout: root } },
    egress: { ...config.value.egress, cap: egress },
    mcp: {
      servers: config.value.mcp.servers,
      usesRepositorys,
      repositoryVariables: serverVariables,
    },
  };
}

function backendOf(environment: Environment, model: EmbeddedOptions["model"]): string {
  if (model.ACP_AGENT !== undefined) return "acp";
  return (model.MODEL ?? environment.MODEL ?? "") === "" ? "offline" : "model";
}

/** It is confined as a whole, and there is nobody to ask. */
function ofAgent(model: EmbeddedOptions["model"]): Readonly<Record<string, string>> {
  return model.ACP_AGENT === undefined ? {} : { ACP_PERMISSIONS: "allow" };
}

/** A job's environment may name the database that it tests, or the port of its own server. */
function withoutSettings(environment: Environment): Environment {
  const others = new Set([...Object.keys(serviceSettings), "EGRESS", "MCP_SERVERS"]);
  const kept = Object.entries(environment).filter(
    ([name]) => !others.has(name) && !name.startsWith("OTEL_") && !name.startsWith("INPUT_"),
  );
  return Object.fromEntries(kept);
}

async function identityOf({ job, root, environment }: EmbeddedOptions, home: string): Promise<JobIdentity> {
  // A fault of the checkout or of git is reported by the run that needs it.
  const jobCheckout = await readCheckout(
    { root, home, environment },
    AbortSignal.timeout(READ_CHECKOUT_MS),
  ).catch(() => null);
  const { repository, repositoryName, event, baseRef, provider, runId, runAttempt } = job;
  return {
    provider,
    issuer: ISSUER,
    repository: {
      ...repository,
      name: repositoryName ?? jobCheckout?.repository ?? `local/${basename(root)}`,
      visibility: "private",
    },
    // Runs work on what an earlier step checked out. Without a checkout, the run reports that.
    sha: jobCheckout?.headSha ?? job.sha ?? "0".repeat(40),
    ref: job.ref ?? jobCheckout?.ref ?? "",
    event,
    baseRef,
    // Nobody can claim this agent, so that it has no policy.
    actorId: null,
    workflow: null,
    runId,
    runAttempt,
    cloneUrl: "",
  };
}

/** Passes on the messages of warnings and errors, without their fields, which may hold paths and untrusted text. */
export function warningLog(say: (message: string) => void): Logger {
  const log: Logger = {
    debug: () => {},
    info: () => {},
    warn: (_fields, message) => say(message),
    error: (_fields, message) => say(message),
    child: () => log,
  };
  return log;
}

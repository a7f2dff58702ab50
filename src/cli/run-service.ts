// The service of `agent-service run`, and the identity that starts the run: the CI job of this process, and a service that is
// named or lives in this process.

import { systemClock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import { createProvider, NoProviderError } from "../ci/detect.ts";
import { readHeadCommit } from "../ci/head-commit.ts";
import type { CiJob, CiProvider } from "../ci/provider.ts";
import type { ProviderOptions } from "../ci/provider-definition.ts";
import { providerDefinitions } from "../ci/providers.ts";
import { fetchTransport } from "../client/transport.ts";
import { federationOf } from "../contract/models/federations.ts";
import type { RenewedAccess } from "../federation/federated-access.ts";
import type { MintIdToken } from "../federation/mcp/server-grant.ts";
import type { ModelFederation } from "../federation/provider.ts";
import type { HandedModel, HandedServer, JobService } from "../job/job-types.ts";
import { openServerMint } from "../job/mint-server-token.ts";
import { openModelAccess } from "../job/model-access.ts";
import { retryNote } from "../job/notes.ts";
import { CommandError } from "./command-error.ts";
import { UsageError } from "./flags.ts";
import type { OpenedService } from "./opened-service.ts";
import { note } from "./run-notes.ts";
import type { ServiceSettings } from "./run-settings.ts";

/** In GitLab: another than those for the service and the model, each of which is made for its own audience. */
const SERVER_TOKEN_VARIABLE = "AGENT_SERVICE_MCP_ID_TOKEN";

export type RunOrigin = {
  /** Null where no CI provider started the process. */
  readonly job: CiJob | null;
  /** The job's commit; "" where nothing says it. */
  readonly sha: string;
  /** Starts an embedded service. Rejects with UsageError and CommandError. */
  openService(signal: AbortSignal): Promise<OpenedService>;
};

type Remote = Extract<ServiceSettings, { type: "remote" }>;

/** Rejects with CommandError where the service needs an identity that this process does not have. */
export async function findOrigin(settings: ServiceSettings, env: Environment): Promise<RunOrigin> {
  const provider = findProvider(env);
  if (settings.type === "embedded") {
    const job = provider instanceof NoProviderError ? null : provider.job;
    return {
      job,
      sha: job?.sha ?? "",
      openService: async (signal) => {
        const { openEmbedded } = await import("./run-embedded.ts");
        const { model, egress, federation } = settings;
        const modelAccess = federation === null ? null : openModel(federation, { env, provider, signal });
        const mintServerToken =
          provider instanceof NoProviderError ? null : mintOf({ env, provider, signal });
        return await openEmbedded({ model, modelAccess, mintServerToken, egress }, { env, job, signal });
      },
    };
  }
  if (provider instanceof NoProviderError) {
    throw new CommandError(
      `${provider.message} Elsewhere use a key ("agent-service runs submit"), or --embedded on a checkout.`,
      { cause: provider },
    );
  }
  const sha = await commitOf(provider);
  return {
    job: provider.job,
    sha,
    openService: async (signal) => {
      const service: JobService = {
        ...settings,
        tokens: provider,
        sha,
        model: handedModel(settings, { env, provider, signal }),
        servers: await handedServers(settings, { env, provider, signal }),
      };
      return { service, pullRequest: null };
    },
  };
}

/** By whose account an embedded service reaches its model; null: by its key. Rejects with CommandError and UsageError. */
export function embeddedModelAccess(
  { federation }: Extract<ServiceSettings, { type: "embedded" }>,
  { env, signal }: { readonly env: Environment; readonly signal: AbortSignal },
): RenewedAccess | null {
  return federation === null ? null : openModel(federation, { env, provider: findProvider(env), signal });
}

/** The CI job of this process; null where it is none that is known. */
export function findJob(env: Environment): CiJob | null {
  const provider = findProvider(env);
  return provider instanceof NoProviderError ? null : provider.job;
}

type Origin = {
  readonly env: Environment;
  readonly provider: CiProvider | NoProviderError;
  readonly signal: AbortSignal;
};

type JobOrigin = Origin & { readonly provider: CiProvider };

/** Throws CommandError where the job has no token for the model's provider beside the service's. */
function handedModel({ model }: Remote, origin: JobOrigin): HandedModel | null {
  if (model === null) return null;
  const { modelTokens } = providerDefinitions[origin.provider.job.provider];
  if (modelTokens.type === "shared") throw new CommandError(modelTokens.refusal);
  return { name: model.name, access: openModel(model.federation, origin) };
}

/** The source of ID tokens for MCP servers: a variable of its own where the provider gives tokens by variables. */
function serverTokens({ env, provider }: JobOrigin): CiProvider {
  const { modelTokens } = providerDefinitions[provider.job.provider];
  if (modelTokens.type !== "variable") return provider;
  return createProvider({ ...surroundings(env), tokenVariable: SERVER_TOKEN_VARIABLE });
}

function mintOf(origin: JobOrigin): MintIdToken {
  const { job } = origin.provider;
  // Tokens are never printed, and not every CI provider can mask a value.
  return openServerMint({ job, tokens: serverTokens(origin), setSecret: () => {} });
}

/** Rejects with CommandError where the job has no token beside the service's. */
async function handedServers({ servers }: Remote, origin: JobOrigin): Promise<readonly HandedServer[]> {
  if (servers.length === 0) return [];
  const { job } = origin.provider;
  const { modelTokens } = providerDefinitions[job.provider];
  if (modelTokens.type === "shared") {
    throw new CommandError(
      "A step of Bitbucket has one ID token, and the service takes it: there is none for an MCP server. Run it with --embedded, or ask the service's operator to add the server (MCP_SERVERS).",
    );
  }
  const { openServerAccesses } = await import("../job/server-access.ts");
  return openServerAccesses({
    servers,
    job,
    tokens: serverTokens(origin),
    transport: fetchTransport,
    clock: systemClock,
    random: Math.random,
    setSecret: () => {},
    onRetry: (notice) => note(retryNote(notice)),
    signal: origin.signal,
  });
}

/** Throws CommandError outside of a CI job, and UsageError beside a key. */
function openModel(federation: ModelFederation, { env, provider, signal }: Origin): RenewedAccess {
  const { title } = federationOf(federation.provider);
  if (provider instanceof NoProviderError) {
    throw new CommandError(
      `${provider.message} Elsewhere give the key of ${title} in MODEL_API_KEY, without the identifiers of its federation.`,
      { cause: provider },
    );
  }
  if ((env.MODEL_API_KEY ?? "").trim() !== "") {
    throw new UsageError(
      `MODEL_API_KEY and the identifiers of ${title} exclude each other: unset the key, which is not needed any more.`,
    );
  }
  const { modelTokens } = providerDefinitions[provider.job.provider];
  const tokenVariable = modelTokens.type === "variable" ? modelTokens.variable : undefined;
  return openModelAccess({
    federation,
    job: provider.job,
    tokens: createProvider({
      ...surroundings(env),
      ...(tokenVariable === undefined ? {} : { tokenVariable }),
    }),
    transport: fetchTransport,
    clock: systemClock,
    random: Math.random,
    // Not every CI provider can mask a value. Tokens are never printed.
    setSecret: () => {},
    onRetry: (notice) => note(retryNote(notice)),
    signal,
  });
}

function findProvider(env: Environment): CiProvider | NoProviderError {
  try {
    return createProvider(surroundings(env));
  } catch (cause) {
    if (cause instanceof NoProviderError) return cause;
    throw cause;
  }
}

function surroundings(env: Environment): ProviderOptions {
  return {
    env,
    transport: fetchTransport,
    clock: systemClock,
    random: Math.random,
    onRetry: (notice) => note(retryNote(notice)),
  };
}

/** Some builds have no variable with the commit: then the checkout's HEAD counts. */
async function commitOf({ job }: CiProvider): Promise<string> {
  if (job.sha !== "") return job.sha;
  return (await readHeadCommit(process.cwd())) ?? "";
}

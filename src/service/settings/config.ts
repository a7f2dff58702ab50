// The service's configuration: environment variables, read once, each wrong one named with the allowed values. The only place of
// the service that looks at the environment.

import { basename, resolve } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import type { SealingKeys } from "../../base/sealed-text.ts";
import { readSettings, type ValuesOf, variablesOf } from "../../base/settings/setting.ts";
import { isSameSite } from "../../base/site-host.ts";
import type { LoadLimits } from "../core/limits/load.ts";
import { findModelRate, type Rates } from "../core/money/rates.ts";
import type { OperatorPolicy } from "../core/operators/operator-policy.ts";
import type { SignInPolicy } from "../core/sign-in/sign-in-policy.ts";
import { type EgressConfig, readEgressConfig } from "../egress/egress-config.ts";
import type { ServerVariables } from "../executor/tools/mcp/server-definition.ts";
import type { IssuerConfig } from "../oidc/issuer-config.ts";
import { decodeSandbox, type SandboxConfig } from "../sandbox/sandbox-config.ts";
import { type AcpConfig, readAcpConfig } from "./acp-config.ts";
import { type BlobConfig, readBlobConfig } from "./blob-config.ts";
import { defaultRates, ratesWithoutPrices } from "./default-rates.ts";
import { secretsOfEnvironment } from "./known-secrets.ts";
import { type McpConfig, readMcpConfig } from "./mcp-config.ts";
import { type AgentConfig, type ModelConfig, readAgentConfig, readModelConfig } from "./model-config.ts";
import { readOperatorIdentities } from "./operator-config.ts";
import { readRatesFile } from "./rates-file.ts";
import { type RemoteConfig, readRemoteConfig } from "./remote-config.ts";
import { type LogLevel, type Role, type SettingName, serviceSettings } from "./service-settings.ts";
import { settingsInForce } from "./settings-in-force.ts";
import { readSignInConfig } from "./sign-in-config.ts";
import { readTraceConfig, type TraceConfig } from "./traces-config.ts";

const MEGABYTE = 1_000_000;

export type Config = {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Without a trailing slash. Null: where the service listens. */
  readonly baseUrl: string | null;
  /** Null: the base URL. */
  readonly webUrl: string | null;
  readonly dataDir: string;
  /** Null: the embedded store in the data folder. */
  readonly databaseUrl: string | null;
  /** The time for which a start waits for the database. */
  readonly databaseWaitSeconds: number;
  /** Keys that seal the secrets of runs in the database. Null where none is set. */
  readonly secretKeys: SealingKeys | null;
  /** Repositories at their code hosts. */
  readonly remotes: RemoteConfig;
  readonly role: Role;
  /** A run whose worker is silent for this long has stalled. */
  readonly stalledSeconds: number;
  readonly logLevel: LogLevel;
  /** Null: the host of the base URL. */
  readonly audience: string | null;
  readonly issuers: readonly IssuerConfig[];
  readonly freeCredits: number;
  readonly refundsPerDay: number;
  readonly capabilitySeconds: number;
  readonly exchangeRatePerMinute: number;
  readonly ratePerMinute: number;
  readonly addressRatePerMinute: number;
  /** Of one account, or of the jobs of one repository, on this node. */
  readonly maxSockets: number;
  readonly loadLimits: LoadLimits;
  readonly trustedProxyHops: number;
  /** Origins of pages that may call the API, beside its own. "*" stands for every one. */
  readonly corsOrigins: readonly string[];
  /** The name of the backend that runs new agents. */
  readonly backend: string;
  /** Null unless the backend is the model. */
  readonly model: ModelConfig | null;
  /** Of runs that bring their own access to a model. */
  readonly brought: AgentConfig;
  /** Null unless the backend is another agent. */
  readonly acp: AcpConfig | null;
  readonly mcp: McpConfig;
  readonly signIn: SignInPolicy;
  readonly operators: OperatorPolicy;
  /** Of the environment: masked in the events and patches of runs. */
  readonly secrets: readonly string[];
  /** The sandbox of the model's commands. */
  readonly sandbox: SandboxConfig;
  readonly egress: EgressConfig;
  readonly maxRunningRuns: number;
  /** Whether OAuth applications may register themselves. */
  readonly registersClients: boolean;
  /** Whether the documents of OAuth applications are read, from the public internet. */
  readonly readsClientDocuments: boolean;
  readonly maxQueuedRuns: number;
  /** The cap of the cost of a run's models where it names no amount. Null: no limit. */
  readonly maxCostMicroUsd: number | null;
  readonly drainSeconds: number;
  /** The time for which a run's input and events are kept after its end. 0: for good. */
  readonly retentionDays: number;
  /** 0: events stay in the database. */
  readonly archiveDays: number;
  /** The time for which a run's journal is kept after its end. 0: none is. */
  readonly journalDays: number;
  readonly blobs: BlobConfig;
  readonly commits: {
    /** Of one upload. */
    readonly maxBytes: number;
    /** Of one repository. */
    readonly quotaBytes: number;
    readonly keptDays: number;
    /** On this node. */
    readonly cacheBytes: number;
  };
  readonly workspaces: {
    readonly takesWork: boolean;
    readonly takesFiles: boolean;
    /** Null: all. */
    readonly accounts: readonly string[] | null;
    /** Of one file. */
    readonly maxFileBytes: number;
    /** The time for which things that nothing needs are kept. 0: for good. */
    readonly keptDays: number;
    /** Of a file that is read or written as text in one piece. */
    readonly keepsPathsPortable: boolean;
    readonly editorCapBytes: number;
    /** The origins of sites, with `{workspace}`. Null: the service's own. */
    readonly siteUrl: string | null;
  };
  /** Null: no metrics. 0 takes a free port. */
  readonly metricsPort: number | null;
  /** Null: no traces. */
  readonly traces: TraceConfig | null;
  /** Rates and plans. */
  readonly rates: Rates;
  /** Variables that git may inherit: the path, proxies, certificates. */
  readonly gitEnvironment: Environment;
};

type Values = ValuesOf<typeof serviceSettings>;

/**
 * Reads the configuration. `flags` win over the environment. `asksByKey` is false where nothing asks the model with the key of
 * these settings: a job's own access, or a command that starts no service. `serverVariables` are a job's, for the MCP servers
 * that it names. A refusal is one line for every wrong setting:
 * its name, what is allowed, what it got.
 */
export function readConfig(
  flags: Partial<Record<SettingName, string>>,
  environment: Environment = process.env,
  {
    asksByKey = true,
    serverVariables = null,
  }: { readonly asksByKey?: boolean; readonly serverVariables?: ServerVariables | null } = {},
): Result<Config, readonly string[]> {
  const { values, problems } = readSettings(serviceSettings, variablesOf({ ...environment, ...flags }));
  const traces = readTraceConfig(environment, problems);
  // A node that only answers requests asks no model.
  const needsKey = asksByKey && values.ROLE !== "api";
  const model = readModelConfig(environment, { backend: values.BACKEND, needsKey, problems });
  const brought = model ?? readAgentConfig(environment, values.BACKEND === "model" ? [] : problems);
  const acp = readAcpConfig(environment, { backend: values.BACKEND, needsKey, problems });
  const mcp = readMcpConfig(environment, { ofJob: serverVariables, problems });
  const signIn = readSignInConfig(environment, problems);
  const identities = readOperatorIdentities(environment, { signIn, problems });
  const rates = readRates(values, { agents: { backend: values.BACKEND, model, acp }, problems });
  const blobs = readBlobConfig(environment, { store: values.BLOB_STORE, folder: values.BLOB_DIR, problems });
  const remotes = readRemoteConfig(values, problems);
  const sandbox = decodeSandbox(environment, resolve(values.DATA_DIR));
  if (!sandbox.ok) problems.push(...sandbox.refusal);
  const egress = readEgressConfig(environment, { problems });
  const isPortGiven = (flags.PORT ?? environment.PORT ?? "").trim() !== "";
  checkRole(values, problems);
  if (problems.length > 0 || !sandbox.ok) return refused(problems);
  const secrets = [
    ...mcp.servers.flatMap((server) => server.secrets),
    ...signIn.providers.map(({ clientSecret }) => clientSecret),
    ...secretsOfEnvironment(environment),
    ...[
      model?.apiKey,
      acp?.model?.apiKey,
      environment.RUN_SECRETS_KEY,
      environment.RUN_SECRETS_PREVIOUS_KEY,
    ].filter((key) => typeof key === "string"),
    ...(blobs.store === "s3" ? [blobs.s3.secretAccessKey] : []),
  ];
  return ok({
    host: values.HOST,
    // A worker only answers probes: beside an API node it takes whatever port is free.
    port: values.ROLE === "worker" && !isPortGiven ? 0 : values.PORT,
    baseUrl: values.BASE_URL,
    webUrl: values.WEB_URL,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    databaseWaitSeconds: values.DATABASE_WAIT_SECONDS,
    secretKeys:
      values.RUN_SECRETS_KEY === null
        ? null
        : { current: values.RUN_SECRETS_KEY, previous: values.RUN_SECRETS_PREVIOUS_KEY },
    remotes,
    role: values.ROLE,
    stalledSeconds: values.STALLED_SECONDS,
    logLevel: values.LOG_LEVEL,
    audience: values.CI_AUDIENCE,
    issuers: values.CI_ISSUERS,
    freeCredits: values.CI_FREE_CREDITS,
    refundsPerDay: values.REFUNDS_PER_DAY,
    capabilitySeconds: values.CI_CAPABILITY_SECONDS,
    exchangeRatePerMinute: values.CI_RATE_PER_MINUTE,
    ratePerMinute: values.RATE_PER_MINUTE,
    addressRatePerMinute: values.ADDRESS_RATE_PER_MINUTE,
    maxSockets: values.MAX_SOCKETS,
    loadLimits: {
      requests: values.MAX_NODE_REQUESTS,
      polls: values.MAX_NODE_POLLS,
      sockets: values.MAX_NODE_SOCKETS,
    },
    trustedProxyHops: values.TRUSTED_PROXY_HOPS,
    corsOrigins: values.CORS_ORIGINS,
    backend: values.BACKEND,
    model,
    brought: { limits: brought.limits, effort: brought.effort },
    acp,
    mcp,
    signIn,
    operators: { identities, settings: () => settingsInForce({ environment, flags, secrets }) },
    secrets,
    sandbox: withHidden(sandbox.value, { blobs, remotes }),
    egress,
    maxRunningRuns: values.MAX_RUNNING_RUNS,
    registersClients: values.OAUTH_REGISTRATION === "on",
    readsClientDocuments: values.OAUTH_CLIENT_DOCUMENTS === "on",
    maxQueuedRuns: values.MAX_QUEUED_RUNS,
    maxCostMicroUsd: values.MAX_COST_USD,
    drainSeconds: values.DRAIN_SECONDS,
    retentionDays: values.RETENTION_DAYS,
    archiveDays: values.ARCHIVE_DAYS ?? (values.DATABASE_URL !== null && values.BLOB_STORE === "s3" ? 1 : 0),
    journalDays: values.JOURNAL_DAYS,
    blobs,
    commits: {
      maxBytes: values.COMMIT_MAX_MB * MEGABYTE,
      quotaBytes: values.COMMIT_QUOTA_MB * MEGABYTE,
      keptDays: values.COMMIT_KEEP_DAYS,
      cacheBytes: values.COMMIT_CACHE_MB * MEGABYTE,
    },
    workspaces: {
      takesWork: values.WORKSPACES === "on",
      takesFiles: values.WORKSPACE_FILES === "on",
      accounts: values.WORKSPACE_ACCOUNTS,
      keepsPathsPortable: values.WORKSPACE_PATHS === "portable",
      maxFileBytes: values.WORKSPACE_MAX_FILE_MB * MEGABYTE,
      keptDays: values.WORKSPACE_KEEP_DAYS,
      editorCapBytes: values.EDITOR_CAP_KB * 1024,
      siteUrl: values.SITE_URL,
    },
    metricsPort: values.METRICS_PORT,
    traces,
    rates,
    gitEnvironment: environment,
  });
}

/** Hides folders from commands: commits that jobs of other repositories have sent, and the key of the App. */
function withHidden(
  sandbox: SandboxConfig,
  { blobs, remotes }: { readonly blobs: BlobConfig; readonly remotes: RemoteConfig },
): SandboxConfig {
  const folder = blobs.store === "folder" ? blobs.folder : null;
  const hidden = [folder, remotes.appKeyFile].flatMap((path) => (path === null ? [] : [resolve(path)]));
  return hidden.length === 0 ? sandbox : { ...sandbox, hiddenPaths: [...sandbox.hiddenPaths, ...hidden] };
}

/** The needs of settings among one another. A node of several needs what they share: the database, and where their users reach them. */
function checkRole(values: Values, problems: string[]): void {
  const { SITE_URL: siteUrl, BASE_URL: baseUrl, WEB_URL: webUrl } = values;
  for (const [name, url] of Object.entries({ BASE_URL: baseUrl, WEB_URL: webUrl })) {
    if (siteUrl !== null && url !== null && isSameSite(siteUrl, url))
      problems.push(
        `SITE_URL must be on another domain than ${name}, got ${JSON.stringify(siteUrl)} beside ${JSON.stringify(url)}: sites hold what agents write, and pages below one domain can set cookies for each other. Register a domain for the sites alone, like "https://{workspace}.sites.example".`,
      );
  }
  if (values.RUN_SECRETS_PREVIOUS_KEY !== null && values.RUN_SECRETS_KEY === null)
    problems.push(
      "RUN_SECRETS_KEY must be set beside RUN_SECRETS_PREVIOUS_KEY: it seals what comes from now on.",
    );
  if (values.ROLE === "all") return;
  if (values.DATABASE_URL === null)
    problems.push(`DATABASE_URL must be set for ROLE ${values.ROLE}: nodes share a PostgreSQL database.`);
  if (values.ROLE === "worker" && values.BASE_URL === null)
    problems.push("BASE_URL must be set for a worker: the links in its runs lead there.");
}

/** The settings of what executes runs. */
type Agents = Pick<Config, "backend" | "model" | "acp">;

/** The model that an agent asks which names none. Where a coding agent chooses by itself, its program stands for it. */
export function defaultModelOf({ backend, model, acp }: Agents): string {
  if (model !== null) return model.models.executor;
  if (acp === null) return backend;
  return acp.chosenModel ?? basename(acp.command[0]);
}

function readRates(
  {
    RATES_FILE: path,
    MODEL_PRICE: price,
  }: ValuesOf<Pick<typeof serviceSettings, "RATES_FILE" | "MODEL_PRICE">>,
  { agents, problems }: { readonly agents: Agents; readonly problems: string[] },
): Rates {
  if (path === null) {
    if (agents.backend === defaultRates.models[0].id) return defaultRates;
    const model = defaultModelOf(agents);
    const rates = ratesWithoutPrices([model, ...modelsOf(agents).map(([, id]) => id)]);
    return price === null ? rates : { ...rates, modelPrice: { ...price, model } };
  }
  if (price !== null)
    problems.push("MODEL_PRICE and RATES_FILE exclude each other: list the price in the file.");
  const rates = readRatesFile(path);
  if (!rates.ok) {
    for (const fault of rates.refusal) problems.push(`RATES_FILE ${JSON.stringify(path)}: ${fault}.`);
    return defaultRates;
  }
  const listed = rates.value.models.map(({ id }) => id).join(", ");
  for (const [setting, id] of modelsOf(agents)) {
    if (findModelRate(rates.value, id) !== undefined) continue;
    problems.push(
      `${setting} must be one of the models in RATES_FILE ${JSON.stringify(path)} (${listed}), got ${JSON.stringify(id)}. ` +
        "Add it there with its prices, 0 where it costs nothing.",
    );
  }
  return rates.value;
}

/** The models that the settings name, each with its setting. */
function modelsOf({ model, acp }: Agents): readonly (readonly [setting: string, id: string])[] {
  if (acp !== null && acp.chosenModel !== null) return [["MODEL", acp.chosenModel]];
  if (model === null) return [];
  const { executor, fallback, explorer, advisor, reviewer } = model.models;
  const named = [
    ["MODEL", executor] as const,
    ["FALLBACK_MODEL", fallback] as const,
    ["EXPLORE_MODEL", explorer] as const,
    ["ADVISOR_MODEL", advisor] as const,
    ["REVIEWER_MODEL", reviewer] as const,
  ];
  return named.flatMap(([setting, id]) => (id === null ? [] : [[setting, id] as const]));
}

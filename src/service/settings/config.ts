// The service's configuration: environment variables, read once, each wrong one named with what is allowed.
// The only place of the service that looks at the environment.

import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { ok, type Result, refused } from "../../base/result.ts";
import type { Rates } from "../core/money/rates.ts";
import { decodeIssuers, githubIssuer, type IssuerConfig } from "../oidc/issuer-config.ts";
import { decodeSandbox, type SandboxConfig } from "../sandbox/sandbox-config.ts";
import { type AcpConfig, readAcpConfig } from "./acp-config.ts";
import { defaultRates } from "./default-rates.ts";
import { type ModelConfig, readModelConfig } from "./model-config.ts";
import { readRatesFile } from "./rates-file.ts";
import { readTraceConfig, type TraceConfig } from "./traces-config.ts";

export const logLevels = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export const backendNames = ["offline", "model", "acp", "noop"] as const;
export type BackendName = (typeof backendNames)[number];

/** What a node does of the service's work, where several share one database. */
export const roles = ["all", "api", "worker"] as const;
export type Role = (typeof roles)[number];

export const switches = ["on", "off"] as const;

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
  readonly role: Role;
  /** A run whose worker is silent for this long has stalled. */
  readonly stalledSeconds: number;
  readonly logLevel: LogLevel;
  /** Null: the host of the base URL. */
  readonly audience: string | null;
  readonly issuers: readonly IssuerConfig[];
  readonly freeCredits: number;
  readonly capabilitySeconds: number;
  readonly exchangeRatePerMinute: number;
  readonly ratePerMinute: number;
  readonly addressRatePerMinute: number;
  /** Of one account, or of the jobs of one repository, on this node. */
  readonly maxSockets: number;
  readonly trustedProxyHops: number;
  /** The name of the backend that runs new agents. */
  readonly backend: string;
  /** Null unless the backend is the model. */
  readonly model: ModelConfig | null;
  /** Null unless the backend is another agent. */
  readonly acp: AcpConfig | null;
  /** What the model's commands are executed in. */
  readonly sandbox: SandboxConfig;
  readonly maxRunningRuns: number;
  readonly maxQueuedRuns: number;
  readonly drainSeconds: number;
  /** How long a run's input and events are kept after its end. 0: for good. */
  readonly retentionDays: number;
  readonly metrics: (typeof switches)[number];
  /** OpenTelemetry's own settings. Null: no traces. */
  readonly traces: TraceConfig | null;
  /** What things cost and what plans may. */
  readonly rates: Rates;
  /** What git may inherit: the path, proxies, certificates. */
  readonly gitEnvironment: Readonly<Record<string, string | undefined>>;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting: how it is called, what it may be, and what it is when nobody says. */
type Setting<Value> = {
  readonly allowed: string;
  readonly fallback: Value;
  /** Undefined when the text is not allowed. */
  readonly read: (text: string) => Value | undefined;
};

/** Settings by name, in the order of the documentation. */
export const settings = {
  HOST: text("an IP address or a host name", "127.0.0.1"),
  PORT: wholeNumber({ min: 0, max: 65_535, fallback: 8080 }),
  BASE_URL: url(["http:", "https:"]),
  WEB_URL: url(["http:", "https:"]),
  DATA_DIR: text("a folder", "agent-service-data"),
  DATABASE_URL: databaseUrl(),
  ROLE: oneOf(roles, "all"),
  STALLED_SECONDS: wholeNumber({ min: 2, max: 3600, fallback: 30 }),
  LOG_LEVEL: oneOf(logLevels, "info"),
  CI_AUDIENCE: optionalText("one line of text"),
  CI_FREE_CREDITS: wholeNumber({ min: 0, max: 1_000_000_000, fallback: 100 }),
  CI_CAPABILITY_SECONDS: wholeNumber({ min: 10, max: 3600, fallback: 900 }),
  CI_RATE_PER_MINUTE: wholeNumber({ min: 1, max: 1_000_000, fallback: 120 }),
  RATE_PER_MINUTE: wholeNumber({ min: 1, max: 10_000_000, fallback: 6_000 }),
  ADDRESS_RATE_PER_MINUTE: wholeNumber({ min: 1, max: 10_000_000, fallback: 600 }),
  MAX_SOCKETS: wholeNumber({ min: 1, max: 1_000_000, fallback: 100 }),
  TRUSTED_PROXY_HOPS: wholeNumber({ min: 0, max: 10, fallback: 0 }),
  BACKEND: oneOf(backendNames, "offline"),
  MAX_RUNNING_RUNS: wholeNumber({ min: 1, max: 1000, fallback: Math.max(4, availableParallelism()) }),
  MAX_QUEUED_RUNS: wholeNumber({ min: 1, max: 1_000_000, fallback: 10_000 }),
  DRAIN_SECONDS: wholeNumber({ min: 0, max: 600, fallback: 10 }),
  RETENTION_DAYS: wholeNumber({ min: 0, max: 36_500, fallback: 90 }),
  METRICS: oneOf(switches, "on"),
  RATES_FILE: optionalText("a JSON file"),
} satisfies Record<string, Setting<unknown>>;

type Settings = typeof settings;
export type SettingName = keyof Settings;
type Values = { [Name in SettingName]: Settings[Name]["fallback"] };

/**
 * Reads the configuration. `flags` win over the environment. A refusal is one line for every wrong setting:
 * its name, what is allowed, what it got.
 */
export function readConfig(
  flags: Partial<Record<SettingName, string>>,
  environment: Environment = process.env,
): Result<Config, readonly string[]> {
  const problems: string[] = [];
  const values = Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => {
      const given = flags[name as SettingName] ?? environment[name];
      if (given === undefined || given.trim() === "") return [name, setting.fallback];
      const value = setting.read(given.trim());
      if (value === undefined) problems.push(`${name} must be ${setting.allowed}, got ${show(name, given)}.`);
      return [name, value ?? setting.fallback];
    }),
  ) as Values;
  const issuers = readIssuers(environment.CI_ISSUERS, problems);
  const rates = readRates(values.RATES_FILE, problems);
  const traces = readTraceConfig(environment, problems);
  const model = readModelConfig(environment, { backend: values.BACKEND, problems });
  const acp = values.BACKEND === "acp" ? readAcpConfig(environment, problems) : null;
  if (values.BACKEND === "acp" && acp === null && (environment.ACP_COMMAND ?? "").trim() === "") {
    problems.push('ACP_COMMAND must be set for BACKEND acp: a JSON list, such as ["opencode", "acp"].');
  }
  const sandbox = decodeSandbox(environment, resolve(values.DATA_DIR));
  if (!sandbox.ok) problems.push(...sandbox.refusal);
  const isPortGiven = (flags.PORT ?? environment.PORT ?? "").trim() !== "";
  checkRole(values, problems);
  if (problems.length > 0 || !sandbox.ok) return refused(problems);
  return ok({
    host: values.HOST,
    // A worker only answers probes: beside an API node it takes whatever port is free.
    port: values.ROLE === "worker" && !isPortGiven ? 0 : values.PORT,
    baseUrl: values.BASE_URL,
    webUrl: values.WEB_URL,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    role: values.ROLE,
    stalledSeconds: values.STALLED_SECONDS,
    logLevel: values.LOG_LEVEL,
    audience: values.CI_AUDIENCE,
    issuers,
    freeCredits: values.CI_FREE_CREDITS,
    capabilitySeconds: values.CI_CAPABILITY_SECONDS,
    exchangeRatePerMinute: values.CI_RATE_PER_MINUTE,
    ratePerMinute: values.RATE_PER_MINUTE,
    addressRatePerMinute: values.ADDRESS_RATE_PER_MINUTE,
    maxSockets: values.MAX_SOCKETS,
    trustedProxyHops: values.TRUSTED_PROXY_HOPS,
    backend: values.BACKEND,
    model,
    acp,
    sandbox: sandbox.value,
    maxRunningRuns: values.MAX_RUNNING_RUNS,
    maxQueuedRuns: values.MAX_QUEUED_RUNS,
    drainSeconds: values.DRAIN_SECONDS,
    retentionDays: values.RETENTION_DAYS,
    metrics: values.METRICS,
    traces,
    rates,
    gitEnvironment: environment,
  });
}

/** A node of several needs what they share: the database, and where their users reach them. */
function checkRole(values: Values, problems: string[]): void {
  if (values.ROLE === "all") return;
  if (values.DATABASE_URL === null)
    problems.push(`DATABASE_URL must be set for ROLE ${values.ROLE}: nodes share a PostgreSQL database.`);
  if (values.ROLE === "worker" && values.BASE_URL === null)
    problems.push("BASE_URL must be set for a worker: the links in its runs lead there.");
}

function readIssuers(text: string | undefined, problems: string[]): readonly IssuerConfig[] {
  if (text === undefined || text.trim() === "") return [githubIssuer];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    problems.push("CI_ISSUERS must be a JSON list of issuers, got text that is not JSON.");
    return [];
  }
  const issuers = decodeIssuers(value);
  if (issuers.ok) return issuers.value;
  for (const fault of issuers.refusal)
    problems.push(`CI_ISSUERS${fault.startsWith("[") ? "" : " "}${fault}.`);
  return [];
}

function readRates(path: string | null, problems: string[]): Rates {
  if (path === null) return defaultRates;
  const rates = readRatesFile(path);
  if (rates.ok) return rates.value;
  for (const fault of rates.refusal) problems.push(`RATES_FILE ${JSON.stringify(path)}: ${fault}.`);
  return defaultRates;
}

/** A database's address may hold a password: it is never shown. */
function show(name: string, given: string): string {
  return name === "DATABASE_URL" ? "something else" : `"${given}"`;
}

function text(allowed: string, fallback: string): Setting<string> {
  return { allowed, fallback, read: (given) => given };
}

function optionalText(allowed: string): Setting<string | null> {
  return { allowed, fallback: null, read: (given) => given };
}

function wholeNumber(options: { min: number; max: number; fallback: number }): Setting<number> {
  const { min, max, fallback } = options;
  return {
    allowed: `a whole number from ${min} to ${max}`,
    fallback,
    read: (given) => {
      const value = Number(given);
      return /^\d+$/.test(given) && value >= min && value <= max ? value : undefined;
    },
  };
}

function oneOf<const Value extends string>(values: readonly Value[], fallback: Value): Setting<Value> {
  return {
    allowed: `one of ${values.join(", ")}`,
    fallback,
    read: (given) => values.find((value) => value === given),
  };
}

function url(protocols: readonly string[]): Setting<string | null> {
  return {
    allowed: `an ${protocols.map((protocol) => `${protocol}//`).join(" or ")} URL without query or fragment`,
    fallback: null,
    read: (given) => {
      const parsed = URL.parse(given);
      if (parsed === null || !protocols.includes(parsed.protocol)) return undefined;
      if (parsed.search !== "" || parsed.hash !== "" || parsed.username !== "") return undefined;
      return given.replace(/\/+$/, "");
    },
  };
}

function databaseUrl(): Setting<string | null> {
  return {
    allowed: "a postgres:// URL",
    fallback: null,
    read: (given) => (/^postgres(ql)?:\/\//.test(given) && URL.canParse(given) ? given : undefined),
  };
}

// The flags of `agent-service run`, and what they come to. Every wrong one is named before anything is sent.

import { readFile } from "node:fs/promises";
import type { SubmitRunRequest } from "../contract/runs/run.ts";
import { type Conclusion, failableConclusions } from "../report/conclusion.ts";
import { readServiceUrl } from "./account.ts";
import { readFlags, readOneOf, readWholeNumber, UsageError } from "./flags.ts";
import { readPrompt } from "./run-prompt.ts";

export const RUN_USAGE = "run [--embedded | --base-url <url>] <prompt>";

const DEFAULT_TIMEOUT_MINUTES = 60;
const DEFAULT_IDLE_MINUTES = 20;
const MAX_TIMEOUT_MINUTES = 1_440;
const MAX_OUTPUT_SCHEMA_BYTES = 64 * 1024;
const DEFAULT_FAIL_ON: readonly Conclusion[] = ["failure", "quota", "cancelled"];

const flags = {
  embedded: { type: "boolean" },
  "base-url": { type: "string" },
  audience: { type: "string" },
  account: { type: "string" },
  session: { type: "string" },
  model: { type: "string" },
  "model-base-url": { type: "string" },
  "model-provider": { type: "string" },
  "prompt-file": { type: "string" },
  "max-turn-tokens": { type: "string" },
  "timeout-minutes": { type: "string" },
  "idle-minutes": { type: "string" },
  "on-cancel": { type: "string" },
  "fail-on": { type: "string" },
  "output-dir": { type: "string" },
  "output-schema": { type: "string" },
  json: { type: "boolean" },
} as const;

type Values = ReturnType<typeof readFlags<typeof flags>>["values"];

export type RunSettings = {
  readonly prompt: string;
  readonly service: ServiceSettings;
  readonly sessionId: string | null;
  /** Null for the service's default budget. */
  readonly maxTurnTokens: number | null;
  readonly outputSchema: SubmitRunRequest["output_schema"] | null;
  readonly timeoutMs: number;
  /** How long a run that has begun may be silent. Null for ever. */
  readonly idleMs: number | null;
  readonly onCancel: "cancel" | "detach";
  readonly failOn: ReadonlySet<Conclusion>;
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
    }
  /** Settings of the model by name, as the service has them. */
  | { readonly type: "embedded"; readonly model: Readonly<Record<string, string>> };

/** Reads the flags, and the prompt from where they say. Rejects with UsageError. */
export async function readRunSettings(args: readonly string[]): Promise<RunSettings> {
  const { values, positionals } = readFlags(args, flags);
  const service = readService(values);
  const settings = {
    service,
    sessionId: values.session ?? null,
    maxTurnTokens:
      readWholeNumber(values["max-turn-tokens"], { name: "--max-turn-tokens", min: 0, max: 5_000_000 }) ??
      null,
    timeoutMs: 60_000 * readTimeout(values["timeout-minutes"]),
    idleMs: readIdle(values["idle-minutes"]),
    onCancel:
      readOneOf(values["on-cancel"], { name: "--on-cancel", values: ["cancel", "detach"] }) ?? "cancel",
    failOn: readFailOn(values["fail-on"]),
    outputDir: values["output-dir"] ?? null,
    format: values.json === true ? "ndjson" : "text",
  } as const;
  if (service.type === "embedded") refuseLasting(values);
  return {
    ...settings,
    outputSchema: await readSchema(values["output-schema"]),
    prompt: await readPrompt({ words: positionals, file: values["prompt-file"], usage: RUN_USAGE }),
  };
}

function readService(values: Values): ServiceSettings {
  if (values.embedded !== true) return readRemote(values);
  if (values["base-url"] !== undefined) {
    throw new UsageError("--embedded and --base-url exclude each other: give one of them.");
  }
  const model = {
    MODEL: values.model,
    MODEL_BASE_URL: values["model-base-url"],
    MODEL_PROVIDER: values["model-provider"],
  };
  const given = Object.entries(model).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return { type: "embedded", model: Object.fromEntries(given) };
}

function readRemote(values: Values): ServiceSettings {
  for (const name of ["model", "model-base-url", "model-provider"] as const) {
    if (values[name] !== undefined) {
      throw new UsageError(`--${name} is for --embedded: a service has models of its own.`);
    }
  }
  const baseUrl = readBaseUrl(values["base-url"]);
  return {
    type: "remote",
    baseUrl,
    audience: values.audience ?? new URL(baseUrl).host,
    account: values.account ?? null,
  };
}

function readBaseUrl(value: string | undefined): string {
  try {
    return readServiceUrl({ flag: "--base-url", value }).replace(/\/+$/, "");
  } catch (cause) {
    if (value !== undefined || !(cause instanceof UsageError)) throw cause;
    throw new UsageError(
      `${cause.message} Without a service, on a checkout, it works with --embedded: agent-service run --embedded <prompt>`,
      { cause },
    );
  }
}

/** What only a service can do that outlives the job. */
function refuseLasting(values: Values): void {
  const named = ["session", "account", "audience"].filter(
    (name) => values[name as keyof Values] !== undefined,
  );
  if (values["on-cancel"] === "detach") named.push("on-cancel detach");
  if (named.length === 0) return;
  const list = named.map((name) => `--${name}`).join(", ");
  throw new UsageError(`${list} needs a service that outlives the job: name one with --base-url.`);
}

function readTimeout(text: string | undefined): number {
  const allowed = { name: "--timeout-minutes", min: 1, max: MAX_TIMEOUT_MINUTES };
  return readWholeNumber(text, allowed) ?? DEFAULT_TIMEOUT_MINUTES;
}

function readIdle(text: string | undefined): number | null {
  const minutes = readWholeNumber(text, { name: "--idle-minutes", min: 0, max: MAX_TIMEOUT_MINUTES });
  return 60_000 * (minutes ?? DEFAULT_IDLE_MINUTES) || null;
}

function readFailOn(text: string | undefined): ReadonlySet<Conclusion> {
  if (text === undefined) return new Set(DEFAULT_FAIL_ON);
  if (text.trim() === "none") return new Set();
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const found = words.map((word) => failableConclusions.find((name) => name === word));
  const named = found.filter((name) => name !== undefined);
  if (named.length === words.length && named.length > 0) return new Set(named);
  throw new UsageError(
    `--fail-on must be "none", or a list of ${failableConclusions.join(", ")}, got "${text}".`,
  );
}

async function readSchema(path: string | undefined): Promise<SubmitRunRequest["output_schema"] | null> {
  if (path === undefined) return null;
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new UsageError(`--output-schema names the file "${path}", which cannot be read.`, { cause });
  });
  const value = Buffer.byteLength(text) > MAX_OUTPUT_SCHEMA_BYTES ? undefined : parse(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as SubmitRunRequest["output_schema"];
  }
  throw new UsageError(
    `--output-schema must be a file with a JSON Schema, a JSON object of at most ${MAX_OUTPUT_SCHEMA_BYTES} bytes: "${path}" has none.`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

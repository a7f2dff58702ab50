// What the flags of `agent-service run` come to. Every wrong one is named before anything is sent.

import { readFile } from "node:fs/promises";
import { type cancelActions, type OutputSchema, outputSchema } from "../job/job-settings.ts";
import type { Conclusion } from "../report/conclusion.ts";
import { readServiceUrl } from "./account.ts";
import { UsageError } from "./flags.ts";
import type { RunFlags } from "./run-flags.ts";
import { readPrompt } from "./run-prompt.ts";

const RUN_USAGE = "run [--embedded | --base-url <url>] <prompt>";

export type RunSettings = {
  readonly prompt: string;
  readonly service: ServiceSettings;
  readonly sessionId: string | null;
  /** Null for the service's default budget. */
  readonly maxTurnTokens: number | null;
  readonly outputSchema: OutputSchema | null;
  readonly timeoutMs: number;
  /** How long a run that has begun may be silent. Null for ever. */
  readonly idleMs: number | null;
  readonly onCancel: (typeof cancelActions)[number];
  readonly failOn: ReadonlySet<Conclusion>;
  /** The command publishes no findings. */
  readonly failOnSeverity: null;
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

/** Reads the prompt and the schema from where the flags say. Rejects with UsageError. */
export async function readRunSettings(values: RunFlags, words: readonly string[]): Promise<RunSettings> {
  const service = readService(values);
  if (service.type === "embedded") refuseLasting(values);
  return {
    service,
    sessionId: values.session,
    maxTurnTokens: values["max-turn-tokens"],
    timeoutMs: 60_000 * values["timeout-minutes"],
    idleMs: 60_000 * values["idle-minutes"] || null,
    onCancel: values["on-cancel"],
    failOn: values["fail-on"],
    failOnSeverity: null,
    outputDir: values["output-dir"],
    format: values.json ? "ndjson" : "text",
    outputSchema: await readSchema(values["output-schema"]),
    prompt: await readPrompt({ words, file: values["prompt-file"] ?? undefined, usage: RUN_USAGE }),
  };
}

function readService(values: RunFlags): ServiceSettings {
  if (!values.embedded) return readRemote(values);
  if (values["base-url"] !== null) {
    throw new UsageError("--embedded and --base-url exclude each other: give one of them.");
  }
  const model = {
    MODEL: values.model,
    MODEL_BASE_URL: values["model-base-url"],
    MODEL_PROVIDER: values["model-provider"],
  };
  const given = Object.entries(model).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return { type: "embedded", model: Object.fromEntries(given) };
}

function readRemote(values: RunFlags): ServiceSettings {
  for (const name of ["model", "model-base-url", "model-provider"] as const) {
    if (values[name] !== null) {
      throw new UsageError(`--${name} is for --embedded: a service has models of its own.`);
    }
  }
  const baseUrl = readBaseUrl(values["base-url"]);
  return {
    type: "remote",
    baseUrl,
    audience: values.audience ?? new URL(baseUrl).host,
    account: values.account,
  };
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

/** What only a service can do that outlives the job. */
function refuseLasting(values: RunFlags): void {
  const named = (["session", "account", "audience"] as const)
    .filter((name) => values[name] !== null)
    .map((name) => `--${name}`);
  if (values["on-cancel"] === "detach") named.push("--on-cancel detach");
  if (named.length === 0) return;
  throw new UsageError(
    `${named.join(", ")} needs a service that outlives this command: name one with --base-url.`,
  );
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

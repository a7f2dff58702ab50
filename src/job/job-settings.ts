// The kinds of settings that the Action's inputs and the flags of `agent-service run` share. Pure.

import { isObject, parseJson } from "../base/json.ts";
import { refused } from "../base/result.ts";
import { httpUrl, listOf } from "../base/settings/kinds.ts";
import { type Kind, kind } from "../base/settings/setting.ts";
import {
  MAX_SETUP_PATH_CHARS,
  type SubmitRunRequest,
  setupPathPattern,
} from "../contract/runs/run-requests.ts";
import { type FailOn, failOnWords } from "../report/conclusion.ts";

/** As the service has it: no schema of the contract is loaded before the job has its identity. */
const MAX_OUTPUT_SCHEMA_BYTES = 64 * 1024;
export const MAX_TURN_TOKENS = 5_000_000;
/** In US dollars, as the service has them. */
export const MAX_COST_LIMITS = { min: 0.01, max: 10_000 } as const;
const MICRO_PER_USD = 1_000_000;
/** The part of a job's time that is left for the work after its run: a minute, at most a tenth. */
const AFTER_RUN_SECONDS = 60;
const AFTER_RUN_SHARE = 0.1;
export const DEFAULT_TIMEOUT_MINUTES = 60;
/** Longer than commands and models take; time in the queue does not count. */
export const DEFAULT_IDLE_MINUTES = 20;

export const branchPrefix: Kind<string> = kind(
  'up to 100 letters, digits and ._/- that end with "/" or "-", like "agent/"',
  (prefix) => {
    const isPlain = /^[A-Za-z0-9][\w./-]{0,98}[/-]$/.test(prefix);
    return isPlain && !/\.\.|\/\/|\/\.|\.\/|\.lock(\/|$)/.test(prefix) ? prefix : undefined;
  },
);

/** `*` and `?` stay within a segment of a path, `**` does not. */
export const pathPatterns = listOf({
  allowed: 'patterns of paths in the repository, separated by commas or line breaks, like "src/**, *.md"',
  separator: /[,\n]/,
  item: (pattern) =>
    /^[/!]|\p{Cc}|(^|\/)\.\.?(\/|$)/u.test(pattern) || pattern.length > 255 ? undefined : pattern,
});

/** Attempts of one run, as the service has it. */
export const MAX_ATTEMPTS = 5;
const MAX_MODEL_CHARS = 255;

/** The models of a run's attempts. */
export const attemptModels: Kind<readonly string[]> = kind(
  `a comma-separated list of at most ${MAX_ATTEMPTS} models`,
  (text) => {
    const names = text.split(/[\s,]+/).filter((name) => name !== "");
    const areFew = names.length > 0 && names.length <= MAX_ATTEMPTS;
    return areFew && names.every((name) => name.length <= MAX_MODEL_CHARS) ? names : undefined;
  },
);

/** Ways in which a service gets the run's commit. */
export const cloneModes = ["auto", "push"] as const;
export type CloneMode = (typeof cloneModes)[number];
export const cancelActions = ["cancel", "detach"] as const;

/** The address of a service, without a trailing slash. */
export const serviceUrl: Kind<string> = {
  ...httpUrl,
  decode: (text) => {
    const url = httpUrl.decode(text);
    if (!url.ok || !url.value.endsWith("/v1")) return url;
    return refused(['ends with "/v1", which every request of its own adds: leave out "/v1"']);
  },
};

export type OutputSchema = NonNullable<SubmitRunRequest["output_schema"]>;

export const outputSchema: Kind<OutputSchema> = kind(
  `a JSON Schema: a JSON object of at most ${MAX_OUTPUT_SCHEMA_BYTES} bytes`,
  (text) => {
    const value = Buffer.byteLength(text) > MAX_OUTPUT_SCHEMA_BYTES ? undefined : parseJson(text);
    return isObject(value) ? (value as OutputSchema) : undefined;
  },
);

/**
 * What a job submits: every field but those that the recipe adds, so that a new one does not compile until the Action and the
 * command say what they send. Undefined: it is left out.
 */
export type JobSubmission = {
  readonly [Field in Exclude<keyof SubmitRunRequest, "idempotency_key" | "model_access" | "mcp_access">]-?:
    | SubmitRunRequest[Field]
    | undefined;
};

/** The bounds of a job's run, where they are set. The default timeout is what every run has by itself. */
export function boundsOf({
  maxCostMicroUsd,
  timeoutMs,
}: {
  readonly maxCostMicroUsd: number | null;
  readonly timeoutMs: number;
}): Pick<JobSubmission, "max_cost_usd" | "time_limit_seconds"> {
  const cost = { max_cost_usd: maxCostMicroUsd === null ? undefined : maxCostMicroUsd / MICRO_PER_USD };
  if (timeoutMs === DEFAULT_TIMEOUT_MINUTES * 60_000) return { ...cost, time_limit_seconds: undefined };
  const seconds = Math.floor(timeoutMs / 1000);
  const after = Math.min(AFTER_RUN_SECONDS, Math.floor(seconds * AFTER_RUN_SHARE));
  return { ...cost, time_limit_seconds: seconds - after };
}

/** How many attempts a run makes, and by which models. */
export type AttemptSettings = { readonly bestOf: number; readonly bestOfModels: readonly string[] | null };

/** Nothing is sent where the run makes one attempt, so that an older service takes it. */
export function attemptsOf({
  bestOf,
  bestOfModels,
}: AttemptSettings): Pick<JobSubmission, "best_of" | "best_of_models"> {
  return {
    best_of: bestOf === 1 ? undefined : bestOf,
    best_of_models: bestOfModels === null ? undefined : [...bestOfModels],
  };
}

/** Which script prepares the run's environment; `path` is null where none does. */
export type SetupChoice = { readonly path: string | null };

export const setup: Kind<SetupChoice> = kind(
  '"none", or the path of a script in the repository, like ".github/agent/setup.sh"',
  (text) => {
    if (text === "none") return { path: null };
    return text.length <= MAX_SETUP_PATH_CHARS && setupPathPattern.test(text) ? { path: text } : undefined;
  },
);

export const failOn: Kind<FailOn> = kind(
  `"none" or a comma-separated list of ${failOnWords.join(", ")}`,
  (text) => {
    if (text === "none") return new Set();
    const words = text.split(/[\s,]+/).filter((word) => word !== "");
    const known = failOnWords.filter((one) => words.includes(one));
    return words.length > 0 && words.every((word) => known.some((one) => one === word))
      ? new Set(known)
      : undefined;
  },
);

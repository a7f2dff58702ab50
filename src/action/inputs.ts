// The Action's inputs: each has a decoder, and every wrong one is named before anything is sent.

import type { SubmitRunRequest } from "../contract/run.ts";
import { type Conclusion, failableConclusions } from "./conclusion.ts";
import { StepError } from "./step-error.ts";

/** As the service has it: nothing of the contract is loaded before the job has its identity. */
export const MAX_OUTPUT_SCHEMA_BYTES = 64 * 1024;

export type OutputSchema = NonNullable<SubmitRunRequest["output_schema"]>;

export type Prompt =
  | { readonly from: "text"; readonly text: string }
  | { readonly from: "file"; readonly path: string }
  | { readonly from: "event" };

export const modelProviders = ["auto", "openai-compatible", "anthropic"] as const;

export type ModelInputs = {
  readonly name: string;
  /** Null: the provider's own, which only Anthropic has. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly provider: (typeof modelProviders)[number];
};

/** Which service the step uses: one that somebody runs, or one inside the job. */
export type ServiceInputs =
  /** The base URL is without a trailing slash. */
  | { readonly type: "remote"; readonly baseUrl: string; readonly audience: string }
  | { readonly type: "embedded"; readonly model: ModelInputs | null };

export type Inputs = {
  readonly prompt: Prompt;
  readonly service: ServiceInputs;
  readonly sessionId: string | null;
  /** Null for the service's default budget. */
  readonly maxTurnTokens: number | null;
  /** A JSON Schema; null where any reply will do. */
  readonly outputSchema: OutputSchema | null;
  readonly timeoutMinutes: number;
  readonly wait: boolean;
  readonly onCancel: "cancel" | "detach";
  readonly failOn: ReadonlySet<Conclusion>;
  readonly summary: boolean;
  readonly account: string | null;
  /** The first word of a line that asks for a run in a comment. */
  readonly triggerPhrase: string;
  /** In lower case: who may ask without write access. */
  readonly allowUsers: ReadonlySet<string>;
  readonly allowBots: ReadonlySet<string>;
  readonly allowForks: boolean;
  readonly githubToken: string;
  /** The job's matrix leg as JSON: part of the idempotency key. */
  readonly matrix: string;
  /** Inputs that were given and say nothing to this kind of service. */
  readonly ignored: readonly string[];
};

/** One or more inputs are wrong: one line each in `problems`. */
export class InputError extends StepError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super("invalid_input", problems.join("\n"));
    this.problems = problems;
  }
}

/** Reads every input through `read`, which returns "" for one that is not given. Throws InputError. */
export function readInputs(read: (name: string) => string): Inputs {
  const problems: string[] = [];
  const take = <Value>(name: string, decoder: Decoder<Value>, fallback: Value): Value => {
    const text = read(name).trim();
    const decoded = decoder.decode(text);
    if (decoded !== undefined) return decoded;
    const shown = decoder.isSecret === true ? "something else" : JSON.stringify(text.slice(0, 100));
    const got = text === "" ? "nothing" : shown;
    problems.push(`Input "${name}" must be ${decoder.allowed}, got ${got}.`);
    return fallback;
  };
  const service = takeService(take, (name) => read(name).trim() !== "");
  const inputs: Inputs = {
    prompt: decodePrompt(read, problems),
    service,
    sessionId: take("session", session, null),
    maxTurnTokens: take("max-turn-tokens", optionalInteger(0, 5_000_000), null),
    outputSchema: take("output-schema", optionalSchema, null),
    timeoutMinutes: take("timeout-minutes", optionalInteger(1, 360), null) ?? 60,
    wait: take("wait", oneOf(["true", "false"], "true"), "true") === "true",
    onCancel: take("on-cancel", oneOf(["cancel", "detach"], "cancel"), "cancel"),
    failOn: take("fail-on", conclusionList, new Set()),
    summary: take("summary", oneOf(["true", "false"], "true"), "true") === "true",
    account: take("account", optionalLine(255), null),
    triggerPhrase: take("trigger-phrase", phrase, ""),
    allowUsers: take("allow-users", users, new Set()),
    allowBots: take("allow-bots", bots, new Set()),
    allowForks: take("allow-forks", oneOf(["true", "false"], "false"), "false") === "true",
    githubToken: read("github-token").trim(),
    matrix: read("matrix").trim(),
    ignored: ignoredInputs[service.type].filter((name) => read(name).trim() !== ""),
  };
  if (service.type === "embedded") problems.push(...faultsWithoutServer(inputs));
  if (problems.length > 0) throw new InputError(problems);
  return inputs;
}

/** `decode` gets trimmed text and returns undefined when it is not allowed. */
type Decoder<Value> = {
  readonly allowed: string;
  readonly decode: (text: string) => Value | undefined;
  readonly isSecret?: true;
};

type Take = <Value>(name: string, decoder: Decoder<Value>, fallback: Value) => Value;

const EMBEDDED = "embedded";
const modelInputs = ["model", "model-base-url", "model-api-key", "model-provider"];
const ignoredInputs: Readonly<Record<ServiceInputs["type"], readonly string[]>> = {
  remote: modelInputs,
  embedded: ["audience", "account"],
};

function takeService(take: Take, isGiven: (name: string) => boolean): ServiceInputs {
  const baseUrl = take("base-url", serviceAddress, EMBEDDED);
  if (baseUrl !== EMBEDDED) {
    const audience = take("audience", optionalLine(255), null) ?? hostOf(baseUrl);
    return { type: "remote", baseUrl, audience };
  }
  if (!modelInputs.some(isGiven)) return { type: "embedded", model: null };
  const provider = take("model-provider", oneOf(modelProviders, "auto"), "auto");
  const model: ModelInputs = {
    name: take("model", modelName, ""),
    baseUrl: take("model-base-url", provider === "anthropic" ? optional(modelUrl) : modelUrl, null),
    apiKey: take("model-api-key", modelKey, null),
    provider,
  };
  return { type: "embedded", model };
}

/** What only a service can do that outlives the job. */
function faultsWithoutServer({ wait, onCancel, sessionId }: Inputs): string[] {
  const needs = 'needs a service that outlives the job: name one in "base-url", or leave it out.';
  return [
    ...(wait ? [] : [`Input "wait: false" ${needs}`]),
    ...(onCancel === "cancel" ? [] : [`Input "on-cancel: ${onCancel}" ${needs}`]),
    ...(sessionId === null ? [] : [`Input "session" ${needs}`]),
  ];
}

const serviceAddress: Decoder<string> = {
  allowed: `"${EMBEDDED}", or the address of the service, like "https://agents.example.com"`,
  decode: (text) => (text === "" || text === EMBEDDED ? EMBEDDED : httpUrl(text)),
};

const modelUrl: Decoder<string | null> = {
  allowed: 'the address of a model\'s API, like "https://models.github.ai/inference"',
  decode: httpUrl,
};

const modelName: Decoder<string> = {
  allowed: 'the name of a model, like "openai/gpt-4.1"',
  decode: (text) => (/^[^\s\p{Cc}]{1,200}$/u.test(text) ? text : undefined),
};

const modelKey: Decoder<string | null> = {
  allowed: "one line of visible characters",
  decode: (text) => (text === "" ? null : /^[\x21-\x7e]+$/.test(text) ? text : undefined),
  isSecret: true,
};

function optional<Value>({ allowed, decode }: Decoder<Value | null>): Decoder<Value | null> {
  return { allowed, decode: (text) => (text === "" ? null : decode(text)) };
}

function httpUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !["https:", "http:"].includes(url.protocol)) return undefined;
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") return undefined;
  return url.origin + url.pathname.replace(/\/+$/, "");
}

const optionalSchema: Decoder<OutputSchema | null> = {
  allowed: `a JSON Schema: a JSON object of at most ${MAX_OUTPUT_SCHEMA_BYTES} bytes`,
  decode: (text) => {
    if (text === "") return null;
    if (Buffer.byteLength(text) > MAX_OUTPUT_SCHEMA_BYTES) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === "object" && value !== null && !Array.isArray(value)
        ? (value as OutputSchema)
        : undefined;
    } catch {
      return undefined;
    }
  },
};

const conclusionList: Decoder<ReadonlySet<Conclusion>> = {
  allowed: `"none" or a comma-separated list of ${failableConclusions.join(", ")}`,
  decode: (text) => {
    if (text === "none") return new Set();
    const words = (text || "failure,quota").split(",").map((word) => word.trim());
    const known = failableConclusions.filter((conclusion) => words.includes(conclusion));
    return words.every((word) => known.some((conclusion) => conclusion === word))
      ? new Set(known)
      : undefined;
  },
};

const session: Decoder<string | null> = {
  allowed: '"new", or the id of a session, one line of at most 255 characters',
  decode: (text) => (text === "new" ? null : optionalLine(255).decode(text)),
};

const phrase: Decoder<string> = {
  allowed: 'one word of 2 to 50 letters, digits and ./@!:-, like "/agent"',
  decode: (text) => (/^[\w./@!:-]{2,50}$/.test(text || "/agent") ? text || "/agent" : undefined),
};

function loginList(hint: string, login: RegExp): Decoder<ReadonlySet<string>> {
  return {
    allowed: `a comma-separated list of logins (${hint})`,
    decode: (text) => {
      const logins = text.split(/[\s,]+/).filter((word) => word !== "");
      if (!logins.every((word) => login.test(word))) return undefined;
      return new Set(logins.map((word) => word.toLowerCase()));
    },
  };
}

const users = loginList('like "octocat, hubot"; "*" is no login', /^[\w.-]+$/);
const bots = loginList('like "renovate[bot]"; "*" is no login', /^[\w.-]+(\[bot\])?$/);

function optionalLine(maxChars: number): Decoder<string | null> {
  return {
    allowed: `one line of at most ${maxChars} characters`,
    decode: (text) => {
      if (text === "") return null;
      return text.length <= maxChars && !/\p{Cc}/u.test(text) ? text : undefined;
    },
  };
}

function optionalInteger(min: number, max: number): Decoder<number | null> {
  return {
    allowed: `an integer from ${min} to ${max}`,
    decode: (text) => {
      if (text === "") return null;
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

function oneOf<const Word extends string>(words: readonly Word[], fallback: Word): Decoder<Word> {
  return {
    allowed: words.map((word) => `"${word}"`).join(" or "),
    decode: (text) => (text === "" ? fallback : words.find((word) => word === text.toLowerCase())),
  };
}

function decodePrompt(read: (name: string) => string, problems: string[]): Prompt {
  const text = read("prompt").trim();
  const path = read("prompt-file").trim();
  if (text !== "" && path !== "") {
    problems.push('Inputs "prompt" and "prompt-file" exclude each other: give one of them.');
  }
  if (text !== "") return { from: "text", text };
  if (path === "") return { from: "event" };
  const isInside =
    !/^([/\\]|[A-Za-z]:)/.test(path) && !path.split(/[/\\]/).includes("..") && !/\p{Cc}/u.test(path);
  if (!isInside) {
    const allowed = 'a path inside the repository, like ".github/prompts/review.md"';
    problems.push(`Input "prompt-file" must be ${allowed}, got ${JSON.stringify(path.slice(0, 100))}.`);
  }
  return { from: "file", path: path.replaceAll("\\", "/").replace(/^(\.\/)+/, "") };
}

function hostOf(baseUrl: string): string {
  return URL.parse(baseUrl)?.host ?? "";
}

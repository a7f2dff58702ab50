// The Action's inputs: each has a decoder, and every wrong one is named before anything is sent.

import { type Conclusion, failableConclusions } from "./conclusion.ts";
import { StepError } from "./step-error.ts";

export type Prompt =
  | { readonly from: "text"; readonly text: string }
  | { readonly from: "file"; readonly path: string }
  | { readonly from: "event" };

export type Inputs = {
  readonly prompt: Prompt;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly audience: string;
  readonly sessionId: string | null;
  /** Null for the service's default budget. */
  readonly maxTurnTokens: number | null;
  readonly timeoutMinutes: number;
  readonly wait: boolean;
  readonly onCancel: "cancel" | "detach";
  readonly failOn: ReadonlySet<Conclusion>;
  readonly summary: boolean;
  readonly account: string | null;
  readonly githubToken: string;
  /** The job's matrix leg as JSON: part of the idempotency key. */
  readonly matrix: string;
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
    const got = text === "" ? "nothing" : JSON.stringify(text.slice(0, 100));
    problems.push(`Input "${name}" must be ${decoder.allowed}, got ${got}.`);
    return fallback;
  };
  const baseUrl = take("base-url", httpUrl, "");
  const inputs: Inputs = {
    prompt: decodePrompt(read, problems),
    baseUrl,
    audience: take("audience", optionalLine(255), null) ?? hostOf(baseUrl),
    sessionId: take("session", optionalLine(255), null),
    maxTurnTokens: take("max-turn-tokens", optionalInteger(0, 5_000_000), null),
    timeoutMinutes: take("timeout-minutes", optionalInteger(1, 360), null) ?? 60,
    wait: take("wait", oneOf(["true", "false"], "true"), "true") === "true",
    onCancel: take("on-cancel", oneOf(["cancel", "detach"], "cancel"), "cancel"),
    failOn: take("fail-on", conclusionList, new Set()),
    summary: take("summary", oneOf(["true", "false"], "true"), "true") === "true",
    account: take("account", optionalLine(255), null),
    githubToken: read("github-token").trim(),
    matrix: read("matrix").trim(),
  };
  if (problems.length > 0) throw new InputError(problems);
  return inputs;
}

/** `decode` gets trimmed text and returns undefined when it is not allowed. */
type Decoder<Value> = {
  readonly allowed: string;
  readonly decode: (text: string) => Value | undefined;
};

const httpUrl: Decoder<string> = {
  allowed: 'the address of the service, like "https://agents.example.com"',
  decode: (text) => {
    const url = URL.parse(text);
    if (url === null || !["https:", "http:"].includes(url.protocol)) return undefined;
    if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") return undefined;
    return url.origin + url.pathname.replace(/\/+$/, "");
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

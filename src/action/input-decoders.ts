// What each kind of input may hold, and what it is decoded to. Pure.

import type { SubmitRunRequest } from "../contract/runs/run.ts";
import { type Conclusion, failableConclusions } from "../report/conclusion.ts";

/** As the service has it: nothing of the contract is loaded before the job has its identity. */
export const MAX_OUTPUT_SCHEMA_BYTES = 64 * 1024;
export const EMBEDDED = "embedded";

export type OutputSchema = NonNullable<SubmitRunRequest["output_schema"]>;

/** `decode` gets trimmed text and returns undefined when it is not allowed. */
export type Decoder<Value> = {
  readonly allowed: string;
  readonly decode: (text: string) => Value | undefined;
  readonly isSecret?: true;
};

export const serviceAddress: Decoder<string> = {
  allowed: `"${EMBEDDED}", or the address of the service, like "https://agents.example.com"`,
  decode: (text) => (text === "" || text === EMBEDDED ? EMBEDDED : httpUrl(text)),
};

export const modelUrl: Decoder<string | null> = {
  allowed: 'the address of a model\'s API, like "https://api.openai.com/v1"',
  decode: httpUrl,
};

export const modelName: Decoder<string> = {
  allowed: 'the name of a model, like "claude-sonnet-5"',
  decode: (text) => (/^[^\s\p{Cc}]{1,200}$/u.test(text) ? text : undefined),
};

export const modelKey: Decoder<string | null> = {
  allowed: "one line of visible characters",
  decode: (text) => (text === "" ? null : /^[\x21-\x7e]+$/.test(text) ? text : undefined),
  isSecret: true,
};

export function optional<Value>({ allowed, decode }: Decoder<Value | null>): Decoder<Value | null> {
  return { allowed, decode: (text) => (text === "" ? null : decode(text)) };
}

export function httpUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !["https:", "http:"].includes(url.protocol)) return undefined;
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") return undefined;
  return url.origin + url.pathname.replace(/\/+$/, "");
}

export const optionalSchema: Decoder<OutputSchema | null> = {
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

export const conclusionList: Decoder<ReadonlySet<Conclusion>> = {
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

/** "thread": the session of the issue or the pull request that the event is about, where it is about one. */
export type SessionInput =
  | { readonly type: "thread" }
  | { readonly type: "new" }
  | { readonly type: "id"; readonly id: string };

export const session: Decoder<SessionInput> = {
  allowed: '"new", or the id of a session, one line of at most 255 characters',
  decode: (text) => {
    if (text === "new") return { type: "new" };
    const id = optionalLine(255).decode(text);
    return id === null ? { type: "thread" } : id === undefined ? undefined : { type: "id", id };
  },
};

export const branchPrefix: Decoder<string> = {
  allowed: 'up to 100 letters, digits and ._/- that end with "/" or "-", like "agent/"',
  decode: (text) => {
    const prefix = text || "agent/";
    const isPlain = /^[A-Za-z0-9][\w./-]{0,98}[/-]$/.test(prefix);
    return isPlain && !/\.\.|\/\/|\/\.|\.\/|\.lock(\/|$)/.test(prefix) ? prefix : undefined;
  },
};

export function flag(fallback: boolean): Decoder<boolean> {
  const words = oneOf(["true", "false"], String(fallback));
  return {
    allowed: words.allowed,
    decode: (text) => {
      const word = words.decode(text);
      return word === undefined ? undefined : word === "true";
    },
  };
}

export const phrase: Decoder<string> = {
  allowed: 'one word of 2 to 50 letters, digits and ./@!:-, like "/agent"',
  decode: (text) => (/^[\w./@!:-]{2,50}$/.test(text || "/agent") ? text || "/agent" : undefined),
};

export function loginList(hint: string, login: RegExp): Decoder<ReadonlySet<string>> {
  return {
    allowed: `a comma-separated list of logins (${hint})`,
    decode: (text) => {
      const logins = text.split(/[\s,]+/).filter((word) => word !== "");
      if (!logins.every((word) => login.test(word))) return undefined;
      return new Set(logins.map((word) => word.toLowerCase()));
    },
  };
}

export const users = loginList('like "octocat, hubot"; "*" is no login', /^[\w.-]+$/);
export const bots = loginList('like "renovate[bot]"; "*" is no login', /^[\w.-]+(\[bot\])?$/);

export function optionalLine(maxChars: number): Decoder<string | null> {
  return {
    allowed: `one line of at most ${maxChars} characters`,
    decode: (text) => {
      if (text === "") return null;
      return text.length <= maxChars && !/\p{Cc}/u.test(text) ? text : undefined;
    },
  };
}

export function optionalInteger(min: number, max: number): Decoder<number | null> {
  return {
    allowed: `an integer from ${min} to ${max}`,
    decode: (text) => {
      if (text === "") return null;
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

export function oneOf<const Word extends string>(words: readonly Word[], fallback: Word): Decoder<Word> {
  return {
    allowed: words.map((word) => `"${word}"`).join(" or "),
    decode: (text) => (text === "" ? fallback : words.find((word) => word === text.toLowerCase())),
  };
}

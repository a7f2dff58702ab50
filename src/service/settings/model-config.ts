// The settings of the model: where it is, what it is called, how much a run may ask of it. Decoded from text, each
// wrong one named with what is allowed. Pure.

export const modelProviders = ["openai-compatible", "anthropic"] as const;
export type ModelProvider = (typeof modelProviders)[number];

const modelSettingNames = [
  "MODEL",
  "MODEL_BASE_URL",
  "MODEL_API_KEY",
  "MODEL_PROVIDER",
  "ADVISOR_MODEL",
  "REVIEWER_MODEL",
  "MAX_TURNS",
  "MODEL_CONTEXT_TOKENS",
  "MODEL_MAX_OUTPUT_TOKENS",
  "FETCH_ALLOW",
] as const;
export type ModelSettingName = (typeof modelSettingNames)[number];

export type ModelConfig = {
  readonly provider: ModelProvider;
  /** Without a trailing slash. Null: the provider's own, which only Anthropic has. */
  readonly baseUrl: string | null;
  /** A secret. Null: the server asks for none. */
  readonly apiKey: string | null;
  readonly models: {
    readonly executor: string;
    readonly advisor: string | null;
    readonly reviewer: string | null;
  };
  /** What is not here has the model backend's own default. */
  readonly limits: {
    readonly maxTurns?: number;
    readonly contextTokens?: number;
    readonly maxOutputTokens?: number;
  };
  /** Hosts that the agent may read pages of, with a port where it is not 443; `*.` stands for all below. */
  readonly fetchAllow: readonly string[];
};

type Environment = Readonly<Record<string, string | undefined>>;

/** What a setting may be. `read` returns undefined for what it may not be. */
type Kind<Value> = {
  readonly allowed: string;
  readonly read: (text: string) => Value | undefined;
  readonly isSecret?: true;
};

const ANTHROPIC_HOST = "api.anthropic.com";
const HOST_NAME =
  /^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(:\d{1,5})?$/;

const provider: Kind<ModelProvider> = {
  allowed: `one of ${modelProviders.join(", ")}`,
  read: (text) => modelProviders.find((name) => name === text),
};
const slug: Kind<string> = {
  allowed: "the name of a model, at most 200 characters without spaces",
  read: (text) => (/^[^\s\p{Cc}]{1,200}$/u.test(text) ? text : undefined),
};
const address: Kind<string> = {
  allowed: "an http:// or https:// URL without user, query or fragment",
  read: (text) => {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
    if (url.username + url.password + url.search + url.hash !== "") return undefined;
    return url.href.replace(/\/+$/, "");
  },
};
const key: Kind<string> = {
  allowed: "one line of visible characters",
  isSecret: true,
  read: (text) => (/^[\x21-\x7e]+$/.test(text) ? text : undefined),
};
const hosts: Kind<readonly string[]> = {
  allowed: "a list of host names, with a port where it is not 443, separated by commas",
  read: (text) => {
    const names = text.split(",").map((name) => name.trim().toLowerCase());
    const given = names.filter((name) => name !== "");
    return given.every((name) => HOST_NAME.test(name)) ? given : undefined;
  },
};

/** Null unless the backend is the model. Adds a line to `problems` for each setting that is wrong or missing. */
export function readModelConfig(
  environment: Environment,
  { backend, problems }: { readonly backend: string; readonly problems: string[] },
): ModelConfig | null {
  if (backend !== "model") return null;
  const faults = problems.length;
  const take = <Value>(name: ModelSettingName, kind: Kind<Value>): Value | null => {
    const text = (environment[name] ?? "").trim();
    if (text === "") return null;
    const value = kind.read(text);
    if (value !== undefined) return value;
    const got = kind.isSecret === true ? "something else" : JSON.stringify(text);
    problems.push(`${name} must be ${kind.allowed}, got ${got}.`);
    return null;
  };
  const named = <Name extends string>(field: Name, value: number | null) =>
    (value === null ? {} : { [field]: value }) as Partial<Record<Name, number>>;

  const baseUrl = take("MODEL_BASE_URL", address);
  const executor = take("MODEL", slug);
  const config = {
    provider: take("MODEL_PROVIDER", provider) ?? providerOf(baseUrl),
    baseUrl,
    apiKey: take("MODEL_API_KEY", key),
    models: {
      executor: executor ?? "",
      advisor: take("ADVISOR_MODEL", slug),
      reviewer: take("REVIEWER_MODEL", slug),
    },
    limits: {
      ...named("maxTurns", take("MAX_TURNS", wholeNumber(1, 1000))),
      ...named("contextTokens", take("MODEL_CONTEXT_TOKENS", wholeNumber(4_000, 10_000_000))),
      ...named("maxOutputTokens", take("MODEL_MAX_OUTPUT_TOKENS", wholeNumber(100, 1_000_000))),
    },
    fetchAllow: take("FETCH_ALLOW", hosts) ?? [],
  };
  if (problems.length > faults) return null;
  if (executor === null)
    problems.push("MODEL must be set for BACKEND model: the model's name, as its server calls it.");
  if (baseUrl === null && config.provider !== "anthropic") {
    problems.push(
      "MODEL_BASE_URL must be set for BACKEND model: where its API is, such as https://api.openai.com/v1 " +
        "(or MODEL_PROVIDER anthropic, which has an address of its own).",
    );
  }
  return problems.length > faults ? null : config;
}

function providerOf(baseUrl: string | null): ModelProvider {
  const host = baseUrl === null ? "" : new URL(baseUrl).hostname;
  return host === ANTHROPIC_HOST ? "anthropic" : "openai-compatible";
}

function wholeNumber(min: number, max: number): Kind<number> {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    read: (text) => {
      const value = Number(text);
      return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
    },
  };
}

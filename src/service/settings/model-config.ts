// The settings of the model: where it is, what it is called, how much a run may use of it. Pure.

import { httpUrl, integer, listOf, matching, oneOf, secret } from "../../base/settings/kinds.ts";
import { described, type Environment, readSettings, variablesOf } from "../../base/settings/setting.ts";

export const modelProviders = ["openai-compatible", "anthropic"] as const;
export type ModelProvider = (typeof modelProviders)[number];

export type ModelConfig = {
  readonly provider: ModelProvider;
  /** Without a trailing slash. Null: the provider's own, which only Anthropic has. */
  readonly baseUrl: string | null;
  /** A secret. Null: the server needs none. */
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

const ANTHROPIC_HOST = "api.anthropic.com";
const GEMINI_HOST = "generativelanguage.googleapis.com";
const HOST_NAME =
  /^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(:\d{1,5})?$/;

const modelName = matching(
  "the name of a model, at most 200 characters without spaces",
  /^[^\s\p{Cc}]{1,200}$/u,
);

/** By the names of their environment variables, in the order of the documentation. */
export const modelSettings = {
  MODEL: described({
    kind: modelName,
    fallback: null,
    description: "The model, as its API calls it. An agent's own model wins.",
    shownDefault: "**required**",
  }),
  MODEL_BASE_URL: described({
    kind: httpUrl,
    fallback: null,
    description: "The address of the model's API.",
    shownDefault: "**required**, except for Anthropic",
  }),
  MODEL_API_KEY: described({
    kind: secret,
    fallback: null,
    description: "The key for that API. It is sent nowhere else.",
    shownDefault: "none",
  }),
  MODEL_PROVIDER: described({
    kind: oneOf([...modelProviders, "gemini"]),
    fallback: null,
    description: "The protocol of the API. `gemini` is for `BACKEND=acp` alone.",
    shownDefault: "by the address",
  }),
  ADVISOR_MODEL: described({
    kind: modelName,
    fallback: null,
    description: "A model of the same API that the agent may ask for advice.",
    shownDefault: "none",
  }),
  REVIEWER_MODEL: described({
    kind: modelName,
    fallback: null,
    description: "A model of the same API that reviews the agent's work.",
    shownDefault: "none",
  }),
  MAX_TURNS: described({
    kind: integer({ min: 1, max: 1000 }),
    fallback: null,
    description: "Turns of the model in one run.",
    shownDefault: "`60`",
  }),
  MODEL_CONTEXT_TOKENS: described({
    kind: integer({ min: 4_000, max: 10_000_000 }),
    fallback: null,
    description: "Tokens that the model takes in one request, its answer included.",
    shownDefault: "`200000`",
  }),
  MODEL_MAX_OUTPUT_TOKENS: described({
    kind: integer({ min: 100, max: 1_000_000 }),
    fallback: null,
    description: "Tokens of one answer.",
    shownDefault: "`16000`",
  }),
  FETCH_ALLOW: described({
    kind: listOf({
      allowed: "a list of host names, with a port where it is not 443, separated by commas",
      separator: /,/,
      item: (text) => (HOST_NAME.test(text.toLowerCase()) ? text.toLowerCase() : undefined),
    }),
    fallback: [],
    description: "Hosts that the agent may read pages from, over HTTPS. `*.example.com` is every host below.",
    shownDefault: "none",
  }),
};

export type ModelSettingName = keyof typeof modelSettings;

/** Null unless the backend is the model. Adds a line to `problems` for each setting that is wrong or missing. */
export function readModelConfig(
  environment: Environment,
  { backend, problems }: { readonly backend: string; readonly problems: string[] },
): ModelConfig | null {
  if (backend !== "model") return null;
  const { values, problems: faults } = readSettings(modelSettings, variablesOf(environment));
  const { MODEL: executor, MODEL_BASE_URL: baseUrl } = values;
  const wire = values.MODEL_PROVIDER ?? (baseUrl === null ? "openai-compatible" : wireOf(baseUrl));
  const provider = wire === "gemini" ? "openai-compatible" : wire;
  if (values.MODEL_PROVIDER === "gemini")
    faults.push("MODEL_PROVIDER must be openai-compatible or anthropic for BACKEND model, got gemini.");
  if (faults.length === 0) faults.push(...missing({ executor, baseUrl, provider }));
  problems.push(...faults);
  if (faults.length > 0 || executor === null) return null;
  return {
    provider,
    baseUrl,
    apiKey: values.MODEL_API_KEY,
    models: { executor, advisor: values.ADVISOR_MODEL, reviewer: values.REVIEWER_MODEL },
    limits: {
      ...named("maxTurns", values.MAX_TURNS),
      ...named("contextTokens", values.MODEL_CONTEXT_TOKENS),
      ...named("maxOutputTokens", values.MODEL_MAX_OUTPUT_TOKENS),
    },
    fetchAllow: values.FETCH_ALLOW,
  };
}

function missing(given: {
  readonly executor: string | null;
  readonly baseUrl: string | null;
  readonly provider: ModelProvider;
}): readonly string[] {
  const { executor, baseUrl, provider } = given;
  return [
    ...(executor === null
      ? ["MODEL must be set for BACKEND model: the model's name, as its server calls it."]
      : []),
    ...(baseUrl === null && provider !== "anthropic"
      ? [
          "MODEL_BASE_URL must be set for BACKEND model: the address of its API, such as https://api.openai.com/v1 " +
            "(or MODEL_PROVIDER anthropic, which has an address of its own).",
        ]
      : []),
  ];
}

function named<Name extends string>(field: Name, value: number | null): Partial<Record<Name, number>> {
  return (value === null ? {} : { [field]: value }) as Partial<Record<Name, number>>;
}

/** The protocol that an API speaks at this address. */
export function wireOf(baseUrl: string): ModelProvider | "gemini" {
  const { hostname } = new URL(baseUrl);
  if (hostname === ANTHROPIC_HOST) return "anthropic";
  return hostname === GEMINI_HOST ? "gemini" : "openai-compatible";
}

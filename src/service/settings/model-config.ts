// The settings of the model: its address, its name, the budget of a run. Pure.

import type { Environment } from "../../base/environment.ts";
import { joinWords } from "../../base/join-words.ts";
import { httpUrl, integer, matching, oneOf, secret } from "../../base/settings/kinds.ts";
import { described, readSettings, type ValuesOf, variablesOf } from "../../base/settings/setting.ts";
import { isCloud } from "../../contract/models/clouds.ts";
import { apiOfModel } from "../../contract/models/federations.ts";
import { type Effort, efforts, type ModelProtocol } from "../../contract/models/protocols.ts";
import { modelProviderNames } from "../../contract/models/providers.ts";
import { needsKey } from "../../federation/needs-key.ts";
import { type ModelIdentity, missingIdentity, readModelIdentity } from "./model-identity.ts";
import { apiOf, providerNamed, providerOf, providerWords } from "./model-providers.ts";

export type ModelConfig = AgentConfig & {
  /** By whose trust the service gets a token in place of a key; null: by none. Address and protocol are then that provider's. */
  readonly identity: ModelIdentity | null;
  readonly provider: ModelProtocol;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** A secret. Null: the server needs none. */
  readonly apiKey: string | null;
  readonly models: {
    readonly executor: string;
    /** Goes on in place of the executor where that does not answer. */
    readonly fallback: string | null;
    /** Answers questions about the repository that the run's own model hands on. Null: that one does. */
    readonly explorer: string | null;
    readonly advisor: string | null;
    readonly reviewer: string | null;
  };
};

/** Settings for whichever model a run asks, the one that it brings included. */
export type AgentConfig = {
  /** What is not here has the model backend's own default. */
  readonly limits: {
    readonly maxTurns?: number;
    readonly contextTokens?: number;
    readonly maxOutputTokens?: number;
  };
  /** The effort of models. Null: each model's own. */
  readonly effort: Effort | null;
};

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
    shownDefault: "the provider's own; **required** for `openai-compatible`",
  }),
  MODEL_API_KEY: described({
    kind: secret,
    fallback: null,
    description: "The key for that API. It is sent nowhere else.",
    shownDefault: "none",
  }),
  MODEL_PROVIDER: described({
    kind: oneOf(providerWords),
    fallback: null,
    description:
      "Whose API it is. `openai` is its Responses API, `openai-compatible` Chat Completions wherever. `gemini` is another word for `google`. `bedrock`, `vertex` and `foundry` need `MODEL_IDENTITY`, and speak what the model is asked by there.",
    shownDefault: "by the address",
  }),
  MODEL_EFFORT: described({
    kind: oneOf(efforts),
    fallback: null,
    description:
      "How hard models think, where they can be told: their reasoning effort. Claude 4, which does not think by itself, is asked to where nothing is set.",
    shownDefault: "the model's own",
  }),
  FALLBACK_MODEL: described({
    kind: modelName,
    fallback: null,
    description:
      "A model of the same API with which a run goes on when its own is overloaded, fails again and again, or is not there any more.",
    shownDefault: "none",
  }),
  EXPLORE_MODEL: described({
    kind: modelName,
    fallback: null,
    description:
      "A model of the same API, such as a cheaper one, that reads the repository for the agent and answers its questions about it.",
    shownDefault: "the model itself",
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
    shownDefault: "`200`",
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
};

export type ModelReading = {
  readonly backend: string;
  /** False where the model is not asked with the key of these settings. */
  readonly needsKey: boolean;
  readonly problems: string[];
};

/** Null unless the backend is the model. Adds a line to `problems` for each setting that is wrong or missing. */
export function readModelConfig(
  environment: Environment,
  { backend, needsKey: asksByKey, problems }: ModelReading,
): ModelConfig | null {
  if (backend !== "model") return null;
  const { values, problems: faults } = readSettings(modelSettings, variablesOf(environment));
  const identity = readModelIdentity(environment, faults);
  const { MODEL: executor, MODEL_PROVIDER: word, MODEL_BASE_URL: url } = values;
  const named = word === null ? (url === null ? "openai-compatible" : providerOf(url)) : providerNamed(word);
  const { protocol, baseUrl } =
    identity === null
      ? { protocol: apiOf(named).protocol, baseUrl: url ?? apiOf(named).apiBaseUrl }
      : apiOfModel(identity.place, executor ?? "");
  if (word !== null && isCloud(word) && identity === null && faults.length === 0)
    faults.push(missingIdentity(word));
  if (faults.length === 0) faults.push(...missing({ executor, baseUrl }));
  if (faults.length === 0 && asksByKey && identity === null && values.MODEL_API_KEY === null)
    faults.push(...missingKey(baseUrl));
  problems.push(...faults);
  if (faults.length > 0 || executor === null || baseUrl === null) return null;
  return {
    identity,
    provider: protocol,
    baseUrl,
    apiKey: values.MODEL_API_KEY,
    models: {
      executor,
      fallback: values.FALLBACK_MODEL,
      explorer: values.EXPLORE_MODEL,
      advisor: values.ADVISOR_MODEL,
      reviewer: values.REVIEWER_MODEL,
    },
    ...agentConfigOf(values),
  };
}

const { MAX_TURNS, MODEL_CONTEXT_TOKENS, MODEL_MAX_OUTPUT_TOKENS, MODEL_EFFORT } = modelSettings;
const agentSettings = { MAX_TURNS, MODEL_CONTEXT_TOKENS, MODEL_MAX_OUTPUT_TOKENS, MODEL_EFFORT };

/** For runs that bring their own access to a model. Adds a line to `problems` for each setting that is wrong. */
export function readAgentConfig(environment: Environment, problems: string[]): AgentConfig {
  const { values, problems: faults } = readSettings(agentSettings, variablesOf(environment));
  problems.push(...faults);
  return agentConfigOf(values);
}

function agentConfigOf(values: ValuesOf<typeof agentSettings>): AgentConfig {
  return {
    limits: {
      ...named("maxTurns", values.MAX_TURNS),
      ...named("contextTokens", values.MODEL_CONTEXT_TOKENS),
      ...named("maxOutputTokens", values.MODEL_MAX_OUTPUT_TOKENS),
    },
    effort: values.MODEL_EFFORT,
  };
}

function missing(given: {
  readonly executor: string | null;
  readonly baseUrl: string | null;
}): readonly string[] {
  const { executor, baseUrl } = given;
  return [
    ...(executor === null
      ? ["MODEL must be set for BACKEND model: the model's name, as its server calls it."]
      : []),
    ...(baseUrl === null
      ? [
          "MODEL_BASE_URL must be set for BACKEND model: the address of its API, such as https://api.openai.com/v1 " +
            `(or MODEL_PROVIDER ${joinWords(modelProviderNames, "or")}, which have addresses of their own).`,
        ]
      : []),
  ];
}

/** Of a model at this address. */
export function missingKey(baseUrl: string | null): readonly string[] {
  if (!needsKey(baseUrl)) return [];
  return [
    "MODEL_API_KEY must be set: the model's API takes no request without a key. A variable of a CI job is empty where it is not set, or is kept from forks and unprotected branches.",
  ];
}

function named<Name extends string>(field: Name, value: number | null): Partial<Record<Name, number>> {
  return (value === null ? {} : { [field]: value }) as Partial<Record<Name, number>>;
}

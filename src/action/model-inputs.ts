// The inputs of the model: its name, its address, and the key or the token by which the job reaches it.

import { joinWords } from "../base/join-words.ts";
import { httpUrl, matching, oneOf, secret } from "../base/settings/kinds.ts";
import { type Kind, readSettings, setting } from "../base/settings/setting.ts";
import { type CodingAgentName, codingAgents, copilotUrl } from "../contract/ci/coding-agents.ts";
import { type CloudName, clouds, isCloud } from "../contract/models/clouds.ts";
import { apiOfModel, federationOf, identifiersOf } from "../contract/models/federations.ts";
import { type GivenPrice, modelPrice } from "../contract/models/model-price.ts";
import { type CodingAgentWire, type Effort, efforts } from "../contract/models/protocols.ts";
import {
  exampleModel,
  federatingHouses,
  inputOf,
  isModelProvider,
  likelyProvider,
  modelProviderNames,
  modelProviders,
} from "../contract/models/providers.ts";
import {
  audienceKind,
  byIdentifier,
  federatedSettings,
  readFederation,
} from "../federation/federation-settings.ts";
import type { ModelFederation } from "../federation/provider.ts";
import { inputSource, type ReadInput, type Reading } from "./input-source.ts";
import { type ModelInputName, modelInputNames } from "./model-input-names.ts";

const withKeysAlone = modelProviderNames.filter((name) => modelProviders[name].federation === null);
/** GitHub's models, which the job's own token opens: for the agent that has them. */
const GITHUBS = "copilot";
const providerWords = ["auto", "openai-compatible", ...federatingHouses, ...withKeysAlone, GITHUBS] as const;

export type ModelInputs = {
  /** Null: its agent chooses one. */
  readonly name: string | null;
  /** Of the same API: goes on where the first does not answer. */
  readonly fallback: string | null;
  /** Answers questions about the repository. Null: the model itself does. */
  readonly explorer: string | null;
  /** The coding agent that asks it. Null: the built-in one. */
  readonly agent: CodingAgentName | null;
  /** Null: the provider's own. */
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly provider: (typeof providerWords)[number];
  /** Null: the model's own. */
  readonly effort: Effort | null;
  /** Null: the published one, where it is known. */
  readonly price: GivenPrice | null;
  /** By whose trust the job gets a token in place of a key; null: by none. */
  readonly federation: ModelFederation | null;
};

/** A model that a service is given for this run. */
export type ChosenModel = { readonly name: string; readonly federation: ModelFederation };

const modelUrl: Kind<string> = {
  ...httpUrl,
  allowed: 'the address of a model\'s API, like "https://api.openai.com/v1"',
};

const modelName = matching(`the name of a model, like "${exampleModel.name}"`, /^[^\s\p{Cc}]{1,200}$/u);

/** The inputs of the model and of its key, read where one of them is given. */
const keyInputSettings = {
  model: { ...setting(modelName, ""), isRequired: true },
  "fallback-model": setting(modelName, null),
  "explore-model": setting(modelName, null),
  "model-base-url": setting(modelUrl, null),
  "model-api-key": setting(secret, null),
  "model-provider": setting(oneOf(providerWords), "auto"),
  effort: setting(oneOf(efforts), null),
  "model-price": setting(modelPrice, null),
};

/** The inputs by which the job gets a token of the model's provider: identifiers, none of them a secret. */
const federationInputSettings = {
  ...byIdentifier(({ kind }) => setting(kind, null)),
  "model-audience": setting(audienceKind, null),
};

export const modelInputSettings = {
  ...keyInputSettings,
  ...federationInputSettings,
} satisfies Readonly<Record<ModelInputName, unknown>>;

/** Null where no input names a model, or one is wrong. Only the built-in agent does without one. */
export function readModel(agent: CodingAgentName | null, reading: Reading): ModelInputs | null {
  const { read, problems } = reading;
  if (modelInputNames.every((name) => read(name).trim() === "")) {
    if (agent !== null && codingAgents[agent].takesGitHubToken) return githubsModel(agent, reading);
    if (agent !== null)
      problems.push(
        `Input "agent: ${agent}" needs a model: give "model", and "model-api-key" or the identifiers of its provider.`,
      );
    return null;
  }
  const before = problems.length;
  const federation = readModelFederation(reading);
  if (federation !== null) {
    const name = readFederatedName(federation, reading);
    problems.push(...faultsOfWire(agent, apiOfModel(federation, name).wire));
    const chosen = { name, agent, ...readChoices(reading) };
    return { ...chosen, ...federatedSettings(federation, name), apiKey: null, federation };
  }
  if (problems.length > before) return null;
  const named = read("model-provider").trim().toLowerCase();
  if (isCloud(named)) {
    problems.push(cloudAloneText(named));
    return null;
  }
  const isPlaceless = ["", "auto"].includes(named) && read("model-base-url").trim() === "";
  const takesGitHubToken = agent !== null && codingAgents[agent].takesGitHubToken;
  if (named === GITHUBS && !takesGitHubToken) {
    problems.push(
      `Input "model-provider: ${GITHUBS}" is for "agent: copilot": its API answers no other agent.`,
    );
    return null;
  }
  const isKeyless = read("model-api-key").trim() === "";
  if (takesGitHubToken && (named === GITHUBS || (isPlaceless && isKeyless)))
    return githubsModel(agent, reading);
  const isAtItsAgents = agent !== null && !takesGitHubToken && codingAgents[agent].ownBaseUrl !== null;
  const hasOwnAddress = isModelProvider(named) || isAtItsAgents;
  const isUnplaced = !hasOwnAddress && isPlaceless;
  if (isUnplaced) problems.push(unplacedText(read("model").trim()));
  const url = { ...keyInputSettings["model-base-url"], isRequired: !hasOwnAddress && !isUnplaced };
  const { values: model, problems: faults } = readSettings(
    { ...keyInputSettings, "model-base-url": url },
    inputSource(read),
  );
  problems.push(...faults);
  const wire = agentsWireOf(model["model-provider"]);
  if (wire !== null) problems.push(...faultsOfWire(agent, wire));
  return {
    name: model.model,
    fallback: model["fallback-model"],
    explorer: model["explore-model"],
    agent,
    baseUrl: model["model-base-url"],
    apiKey: model["model-api-key"],
    provider: model["model-provider"],
    effort: model.effort,
    price: model["model-price"],
    federation: null,
  };
}

/** Asked with the token of the job. Null where the job has none, or the name of the model is wrong. */
function githubsModel(agent: CodingAgentName, { read, problems }: Reading): ModelInputs | null {
  const declared = {
    model: { ...keyInputSettings.model, isRequired: false },
    "model-base-url": setting(copilotUrl, null),
  };
  const { values, problems: faults } = readSettings(declared, inputSource(read));
  const apiKey = read("github-token").trim();
  if (apiKey === "")
    faults.push(
      `Input "github-token" is empty: "agent: ${agent}" asks GitHub's models with it. Leave it out, or give the agent another "model-provider".`,
    );
  if (read("model-api-key").trim() !== "")
    faults.push(
      `Input "model-api-key" and "model-provider: ${GITHUBS}" exclude each other: the job's token is the key.`,
    );
  problems.push(...faults);
  if (faults.length > 0) return null;
  const { model, "model-base-url": baseUrl } = values;
  const none = { fallback: null, explorer: null, effort: null, price: null, federation: null };
  return { ...none, name: model === "" ? null : model, agent, baseUrl, apiKey, provider: GITHUBS };
}

/** Neither the provider nor an address is given. */
function unplacedText(model: string): string {
  const likely = likelyProvider(model);
  const address = '"model-base-url" to the address of its API, like "https://api.openai.com/v1"';
  return likely === null
    ? `Input "model-provider" is missing. Set it to ${joinWords(modelProviderNames, "or")}, or ${address}.`
    : `Input "model-provider" is missing. Set "model-provider: ${likely}", which has models of such names, or ${address}.`;
}

/** An agent speaks to models of its own protocols. */
function faultsOfWire(agent: CodingAgentName | null, wire: CodingAgentWire): string[] {
  if (agent === null || codingAgents[agent].wires.includes(wire)) return [];
  const { title, wires } = codingAgents[agent];
  return [
    `Input "agent: ${agent}" needs a model of another protocol: ${title} speaks ${wires.join(", ")}, not ${wire}.`,
  ];
}

/** Null: the service's own model, whatever else the inputs of a model say. */
export function readHandedModel(reading: Reading): ChosenModel | null {
  const federation = readModelFederation(reading);
  return federation === null ? null : { name: readFederatedName(federation, reading), federation };
}

/** As its provider calls it. */
function readFederatedName({ provider, identifiers }: ModelFederation, reading: Reading): string {
  const name = readModelName(reading);
  const fault = name === "" ? null : federationOf(provider).findModelFault(identifiers, name);
  if (fault !== null) reading.problems.push(`Input "model" ${fault}.`);
  return name;
}

/** A cloud is asked without a key alone, and its place is among the identifiers. */
function cloudAloneText(cloud: CloudName): string {
  const needed = identifiersOf(cloud).filter(([, { isRequired }]) => isRequired);
  const inputs = needed.map(([field]) => `"${inputOf(cloud, field)}"`);
  return `Input "model-provider: ${cloud}" needs ${joinWords(inputs, "and")}: by them the job proves itself to ${clouds[cloud].title}. With a key, set "model-base-url" to the address of its API.`;
}

function readModelName({ read, problems }: Reading): string {
  const { values, problems: faults } = readSettings({ model: keyInputSettings.model }, inputSource(read));
  problems.push(...faults);
  return values.model;
}

function readChoices({
  read,
  problems,
}: Reading): Pick<ModelInputs, "fallback" | "explorer" | "effort" | "price"> {
  const {
    "fallback-model": fallback,
    "explore-model": explorer,
    effort,
    "model-price": price,
  } = keyInputSettings;
  const declared = { "fallback-model": fallback, "explore-model": explorer, effort, "model-price": price };
  const { values, problems: faults } = readSettings(declared, inputSource(read));
  problems.push(...faults);
  return {
    fallback: values["fallback-model"],
    explorer: values["explore-model"],
    effort: values.effort,
    price: values["model-price"],
  };
}

/** Null where no identifier is given, and where one is wrong. */
function readModelFederation({ read, problems }: Reading): ModelFederation | null {
  const { values, problems: faults } = readSettings(federationInputSettings, inputSource(read));
  problems.push(...faults);
  if (faults.length > 0) return null;
  const audience = values["model-audience"];
  const titleOf = (name: string) => `Input "${name}"`;
  const federation = readFederation({ values, audience, titleOf }, problems);
  if (federation !== null) problems.push(...faultsBesideFederation(federation, read));
  return federation;
}

/** A job with a token needs no key, and its token goes to its own provider alone. */
function faultsBesideFederation(federation: ModelFederation, read: ReadInput): string[] {
  const { provider } = federation;
  const { title } = federationOf(provider);
  const { baseUrl } = apiOfModel(federation, read("model"));
  const given = (name: string) => read(name).trim() !== "";
  const named = read("model-provider").trim().toLowerCase();
  return [
    ...(given("model-api-key")
      ? [
          `Input "model-api-key" and the identifiers of ${title} exclude each other: remove the key, which is not needed any more.`,
        ]
      : []),
    ...(given("model-base-url")
      ? [
          `Input "model-base-url" and the identifiers of ${title} exclude each other: its token goes to ${baseUrl} alone.`,
        ]
      : []),
    ...(["", "auto", provider].includes(named)
      ? []
      : [`Input "model-provider" must be ${provider} beside the identifiers of ${title}, got "${named}".`]),
  ];
}

/** The protocol that another agent would speak with it. Null: the address decides. */
function agentsWireOf(provider: ModelInputs["provider"]): CodingAgentWire | null {
  switch (provider) {
    case "auto":
      return null;
    case "openai-compatible":
    case GITHUBS:
      return provider;
    default:
      return modelProviders[provider].wire;
  }
}

// The words of MODEL_PROVIDER: whose API it is, or its protocol alone. Pure.

import { cloudNames } from "../../contract/models/clouds.ts";
import {
  type ModelProviderFacts,
  type ModelProviderName,
  modelProviderNames,
  modelProviders,
  providerAt,
} from "../../contract/models/providers.ts";

/** Chat Completions, at an address that is given. */
const PROTOCOL_ALONE = "openai-compatible";

export type ProviderWord = ModelProviderName | typeof PROTOCOL_ALONE;

export const providerWords: readonly string[] = [
  ...modelProviderNames,
  PROTOCOL_ALONE,
  ...cloudNames,
  ...modelProviderNames.flatMap((name) => modelProviders[name].aliases),
];

/** One of `providerWords`. A cloud has the models of several providers, and an API by the model: `apiOfModel`. */
export function providerNamed(word: string): ProviderWord {
  const isNamed = (name: ModelProviderName) => name === word || modelProviders[name].aliases.includes(word);
  return modelProviderNames.find(isNamed) ?? PROTOCOL_ALONE;
}

/** Whose API is at this address. A host that nobody knows speaks Chat Completions, and so do imitations of it. */
export function providerOf(baseUrl: string): ProviderWord {
  const known = providerAt(baseUrl);
  if (known === null) return PROTOCOL_ALONE;
  const isImitation = modelProviders[known].imitation?.test(new URL(baseUrl).pathname) === true;
  return isImitation ? PROTOCOL_ALONE : known;
}

type ProviderApi = Pick<ModelProviderFacts, "protocol" | "wire"> & {
  /** Null: the operator names it. */
  readonly apiBaseUrl: string | null;
};

export function apiOf(provider: ProviderWord): ProviderApi {
  if (provider !== PROTOCOL_ALONE) return modelProviders[provider];
  return { protocol: provider, wire: provider, apiBaseUrl: null };
}

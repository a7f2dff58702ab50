// The table of providers, by name. Pure.

import type { FederationProvider, FederationProviderName } from "./provider.ts";
import { anthropic } from "./providers/anthropic.ts";
import { openai } from "./providers/openai.ts";
import { openrouter } from "./providers/openrouter.ts";

export const federationProviders: Readonly<Record<FederationProviderName, FederationProvider>> = {
  anthropic,
  openai,
  openrouter,
};

/** `federation_rule_id` of Anthropic as its users write it: `anthropic-federation-rule-id`. */
export function inputOf(provider: FederationProviderName, field: string): string {
  return `${provider}-${field.replaceAll("_", "-")}`;
}

// How each CI provider's users say what they have to change, for the command's messages. Pure.

import { providerDefinitions } from "../ci/providers.ts";
import type { CiProviderName } from "../contract/ci/providers.ts";
import type { ExchangeWords } from "./exchange-advice.ts";

/** The words for a job of the provider: each sets a token's audience in its own way. */
export function jobWords(provider: CiProviderName): ExchangeWords {
  return {
    setAudience: (audience = "<what the service expects>") => audienceAdvice(provider, audience),
    // The service's own message says why it refuses an event of these providers.
    events: null,
  };
}

function audienceAdvice(provider: CiProviderName, audience: string): string {
  const { tokenLines } = providerDefinitions[provider];
  const flag = `Add --audience ${audience} to the command`;
  return tokenLines === null
    ? `${flag}.`
    : `${flag}, and give the job a token for it:\n\n${tokenLines(audience)}\n`;
}

// The words of `agent-service run`: of a job, by its CI provider, or of a command on somebody's machine. Pure.

import { providerDefinitions } from "../ci/providers.ts";
import type { CiProviderName } from "../contract/ci/providers.ts";
import { ciWords, type JobWords } from "./job-words.ts";

const machineWords = { interrupted: "The command was interrupted", retry: "Run the command again" } as const;

/** `provider` is null where no CI provider started the process. */
export function commandWords(provider: CiProviderName | null): JobWords {
  return {
    ...(provider === null ? machineWords : ciWords),
    isAction: false,
    setting: (name) => `--${name}`,
    withSettingNames: (message) => message,
    setAudience: (audience = "<what the service expects>") => audienceAdvice(provider, audience),
    // The service's own message says why it refuses an event of these providers.
    events: null,
  };
}

/** Each provider sets a token's audience in its own way. */
function audienceAdvice(provider: CiProviderName | null, audience: string): string {
  const flag = `Add --audience ${audience} to the command`;
  const tokenLines = provider === null ? null : providerDefinitions[provider].tokenLines;
  return tokenLines === null
    ? `${flag}.`
    : `${flag}, and give the job a token for it:\n\n${tokenLines(audience)}\n`;
}

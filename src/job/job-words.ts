// How each CI provider's users say what they have to change, for the command's messages. Pure.

import { assertNever } from "../base/assert-never.ts";
import { GITLAB_TOKEN_VARIABLE } from "../ci/gitlab.ts";
import type { CiProviderName } from "../ci/provider.ts";
import type { Verdict } from "../report/conclusion.ts";
import type { ExchangeWords } from "./exchange-advice.ts";

/** What to say to a job of the provider. A job's token names its audience, in each by other means. */
export function jobWords(provider: CiProviderName): ExchangeWords {
  return {
    setAudience: (audience) => `${audienceAdvice(provider, audience ?? "<what the service expects>")}`,
    // The service says of each event of these why it is refused.
    events: null,
  };
}

function audienceAdvice(provider: CiProviderName, audience: string): string {
  const flag = `Add --audience ${audience} to the command`;
  switch (provider) {
    case "github":
    case "circleci":
    case "buildkite":
      return `${flag}.`;
    case "gitlab":
      return `${flag}, and give the job a token for it:\n\n  id_tokens:\n    ${GITLAB_TOKEN_VARIABLE}:\n      aud: ${audience}\n`;
    case "bitbucket":
      return `${flag}, and give the step a token for it:\n\n      oidc:\n        audiences:\n          - ${audience}\n`;
    default:
      return assertNever(provider);
  }
}

/** Why jobs of the provider lead to no claim of their repository's agent; null where they can. */
export function claimObstacle(provider: CiProviderName): string | null {
  return provider === "circleci"
    ? "A repository of CircleCI cannot be claimed: its tokens name it by an address that changes hands. It runs where " +
        'the service\'s operator sets "visibility": "public" for it, on the free credits of its owner.'
    : null;
}

/** The verdict in words for a repository that cannot be claimed. */
export function withoutClaim(verdict: Verdict, obstacle: string): Verdict {
  if (verdict.conclusion !== "quota") return verdict;
  const why =
    verdict.reason === "repository_private"
      ? "Free credits are for public repositories."
      : "The free credits of this repository's owner are used up.";
  return { ...verdict, message: `${why} ${obstacle}` };
}

// Jobs that can accept a claim of their repository's agent, and so repositories that can be claimed at all. Pure.

import { eventRules } from "../../../contract/ci/events.ts";
import { ciProviders, isCiProvider } from "../../../contract/ci/providers.ts";
import type { JobIdentity } from "./job-identity.ts";

/** True for a job that only a writer of the repository can have started. */
export function mayAcceptClaim({ provider, event }: JobIdentity): boolean {
  return canBeClaimed(provider) && eventRules(provider, event).acceptsClaim;
}

/** False for a provider none of whose jobs can accept a claim. */
export function canBeClaimed(provider: string): boolean {
  return isCiProvider(provider) && ciProviders[provider].claimObstacle === null;
}

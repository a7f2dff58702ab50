// What differs from one CI provider to the next: how its tokens are signed, how long they live, what they claim.

import type { Result } from "../../../base/result.ts";
import type { JobIdentity } from "../../core/job-identity.ts";
import type { ExchangeRefusal } from "../../core/refusal.ts";
import type { JsonObject } from "../compact-token.ts";
import type { IssuerConfig } from "../issuer-config.ts";
import type { PinnedAlgorithm } from "../signing-key.ts";

export interface Provider {
  readonly algorithm: PinnedAlgorithm;
  /** The longest `exp − iat` that is believed. */
  readonly maxLifetimeMs: number;
  /** Events whose jobs may be steered by someone who cannot write to the repository, yet hold its rights, unless the issuer allows them. */
  readonly refusedEvents: readonly string[];
  /** Who the job is, by verified claims. Never parses `sub`: names in it can collide and change hands. */
  identify(claims: JsonObject, issuer: IssuerConfig): Result<JobIdentity, ExchangeRefusal>;
}

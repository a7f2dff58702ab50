// The differences between CI providers: how their tokens are signed, how long they live, what they claim.
// Why: docs/decisions/019-jobs-of-other-providers.md

import type { Result } from "../../../base/result.ts";
import type { ExchangeRefusal } from "../../core/ci/refusals.ts";
import type { JobIdentity, JobStatement } from "../../core/ci-jobs/job-identity.ts";
import type { JsonObject } from "../compact-token.ts";
import type { IssuerConfig } from "../issuer-config.ts";
import type { PinnedAlgorithm } from "../signing-key.ts";

export interface Provider {
  readonly algorithm: PinnedAlgorithm;
  /** The longest `exp − iat` that is accepted, unless the issuer's entry has another. */
  readonly maxLifetimeMs: number;
  /** The form of `aud`: a string, or a list. A list must hold only ours: with another, the token would be usable there too. */
  readonly audienceForm: "text" | "list";
  /** The mark that makes a second use recognisable. Without a `jti` it is the signature, decoded: its text has many spellings. */
  readonly replayIsKnownBy: "jti" | "signature";
  /**
   * Who the job is, by verified claims. Never parses `sub`: names in it can collide and change hands. Of the statement
   * it takes the commit alone, and only where the token names none.
   */
  identify(
    claims: JsonObject,
    issuer: IssuerConfig,
    statement: JobStatement,
  ): Result<JobIdentity, ExchangeRefusal>;
}

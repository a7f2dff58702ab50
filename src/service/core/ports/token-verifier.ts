// The port through which the core learns who a CI job is. Implemented in oidc/.

import type { Result } from "../../../base/result.ts";
import type { JobStatement, VerifiedToken } from "../ci/job-identity.ts";
import type { ExchangeRefusal } from "../ci/refusals.ts";

export interface TokenVerifier {
  /**
   * Verifies a job's OIDC token: form, issuer, algorithm, signature, audience, times, claims, policy, in that
   * order. Opens a socket only for the key set of a configured issuer. Safe to repeat: replay is not its job.
   * `statement` is what the job says beside it.
   */
  verify(token: string, statement?: JobStatement): Promise<Result<VerifiedToken, ExchangeRefusal>>;
}

// The port that verifies a CI job's token. Implemented in oidc/.

import type { Result } from "../../../base/result.ts";
import type { JobStatement, VerifiedToken } from "../ci-jobs/job-identity.ts";
import type { ExchangeRefusal } from "./refusals.ts";

declare module "../core.ts" {
  interface Core {
    readonly verifier: TokenVerifier;
  }
}

/** Who the token has to be made for. Default: the service's audience for jobs. */
type ExpectedToken = { readonly audience: string };

export interface TokenVerifier {
  /**
   * Verifies a job's OIDC token: form, issuer, algorithm, signature, audience, times, claims, policy, in that
   * order. Opens a socket only for the key set of a configured issuer. Safe to repeat: it does not check for replay.
   * `statement` is what the job states beside its token, `expected` what another API than the exchange asks for.
   */
  verify(
    token: string,
    statement?: JobStatement,
    expected?: ExpectedToken,
  ): Promise<Result<VerifiedToken, ExchangeRefusal>>;
}

// The token issuer of an embedded service: it accepts only the tokens that it made itself, in this process. Their
// claims are what the job says of itself, and only the job can get one.

import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/ids.ts";
import { ok, refused } from "../../base/result.ts";
import { hashSecret, makeSecretToken } from "../../base/secret-token.ts";
import type { TokenVerifier } from "../core/ci/token-verifier.ts";
import type { JobIdentity } from "../core/ci-jobs/job-identity.ts";

const TOKEN_PREFIX = "job_";
const TOKEN_MS = 5 * 60_000;

type OwnIssuer = {
  /** A new token for one exchange, valid for five minutes. */
  mint(): string;
  readonly verifier: TokenVerifier;
};

export function ownIssuer(options: {
  readonly job: JobIdentity;
  readonly clock: Clock;
  readonly random: Random;
}): OwnIssuer {
  const { job, clock, random } = options;
  /** The hashes of tokens, and until when they are valid. */
  const made = new Map<string, number>();
  return {
    mint: () => {
      const { text, hash } = makeSecretToken(TOKEN_PREFIX, random.bytes(32));
      made.set(hash, clock.monotonic() + TOKEN_MS);
      return text;
    },
    verifier: {
      verify: async (token) => {
        const replayKey = hashSecret(token);
        const usableUntil = made.get(replayKey);
        if (usableUntil === undefined || usableUntil < clock.monotonic()) {
          const detail = "This service runs inside a job, and believes that job alone.";
          return refused({ reason: "issuer_unknown", detail });
        }
        return ok({ job, replayKey, usableUntil });
      },
    },
  };
}

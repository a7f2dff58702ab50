// A verifier whose span shows the time of a token's verification, and the reason of a refusal. No part of the token is shown.

import type { TokenVerifier } from "../core/ci/token-verifier.ts";
import type { Tracer } from "../core/ports/tracer.ts";

/** The same verifier, traced. */
export function tracedVerifier(verifier: TokenVerifier, tracer: Tracer): TokenVerifier {
  return {
    verify: (token, statement, expected) =>
      tracer.trace({ name: "verify token" }, async (span) => {
        const verified = await verifier.verify(token, statement, expected);
        if (!verified.ok) span.set({ "agent_service.refusal": verified.refusal.reason });
        return verified;
      }),
  };
}

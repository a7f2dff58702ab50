// The claims of an ID token that say when and for whom it is good. Nothing is verified: the provider does that. Pure.

import { parseObject } from "../base/json.ts";

export type IdTokenClaims = {
  readonly audiences: readonly string[];
  /** Milliseconds since the epoch; null where it does not say. */
  readonly expiresAt: number | null;
  /** Of the CI's run, as GitHub names it; null where the token names none. */
  readonly runId: string | null;
};

/** Null for what is no JWT. */
export function claimsOf(token: string): IdTokenClaims | null {
  const payload = payloadOf(token);
  if (payload === null) return null;
  const { aud, exp, run_id: runId } = payload;
  return {
    audiences: (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === "string"),
    runId: typeof runId === "string" && /^\d{1,20}$/.test(runId) ? runId : null,
    expiresAt: typeof exp === "number" && Number.isFinite(exp) ? exp * 1000 : null,
  };
}

function payloadOf(token: string): Readonly<Record<string, unknown>> | null {
  const [, body] = token.split(".");
  if (body === undefined) return null;
  return parseObject(Buffer.from(body, "base64url").toString("utf8"));
}

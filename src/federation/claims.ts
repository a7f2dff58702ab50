// The claims of an ID token that say when and for whom it is good. Nothing is verified: the provider does that. Pure.

import { parseObject } from "../base/json.ts";

export type Claims = {
  readonly audiences: readonly string[];
  /** Milliseconds since the epoch; null where it does not say. */
  readonly expiresAt: number | null;
};

/** Null for what is no JWT. */
export function claimsOf(token: string): Claims | null {
  const payload = payloadOf(token);
  if (payload === null) return null;
  const { aud, exp } = payload;
  return {
    audiences: (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === "string"),
    expiresAt: typeof exp === "number" && Number.isFinite(exp) ? exp * 1000 : null,
  };
}

function payloadOf(token: string): Readonly<Record<string, unknown>> | null {
  const [, body] = token.split(".");
  if (body === undefined) return null;
  return parseObject(Buffer.from(body, "base64url").toString("utf8"));
}

// The outer form of a JWT: compact, within a size, two JSON objects and a signature. Verifies nothing. Pure.

import { decodeJwt, decodeProtectedHeader, errors } from "jose";
import { ok, type Result, refused } from "../../base/result.ts";
import type { ExchangeRefusal } from "../core/ci/refusals.ts";

/** A GitHub token is about 2 KB. */
export const MAX_TOKEN_CHARS = 16_384;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Not verified: nothing here may be believed before the signature has passed. */
type UnverifiedToken = { readonly header: JsonObject; readonly payload: JsonObject };

const COMPACT_FORM = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){2}$/;

/** Decodes a token of strict compact form: no padding, no white space, three parts, none of them empty. */
export function parseCompactToken(token: string): Result<UnverifiedToken, ExchangeRefusal> {
  if (token.length > MAX_TOKEN_CHARS) {
    return malformed(`The token is longer than ${MAX_TOKEN_CHARS} characters. Send the ID token alone.`);
  }
  if (!COMPACT_FORM.test(token)) {
    return malformed(
      "The token is not a signed JWT in compact form. Send the ID token exactly as it was issued.",
    );
  }
  try {
    return ok({ header: decodeProtectedHeader(token), payload: decodeJwt(token) });
  } catch (cause) {
    // What jose throws for a header that it cannot decode, and for a payload.
    if (!(cause instanceof TypeError || cause instanceof errors.JWTInvalid)) throw cause;
    return malformed("The token does not hold JSON objects. Send the ID token exactly as it was issued.");
  }
}

/** The bytes as a JSON object, or null. Of a repeated name the last counts, for every reader alike (RFC 7519 §4). */
export function decodeJsonObject(bytes: Uint8Array): JsonObject | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : null;
  } catch {
    return null;
  }
}

function malformed(detail: string) {
  return refused<ExchangeRefusal>({ reason: "token_malformed", detail });
}

// The claims that every provider's tokens share (RFC 7519 §4.1): audience, times, id. For verified claims only. Pure.

import * as z from "zod/mini";
import { ok, type Result, refused } from "../../base/result.ts";
import type { ExchangeRefusal } from "../core/ci/refusals.ts";
import type { JsonObject } from "./compact-token.ts";

/** The difference that the issuer's clock and ours may have. */
const CLOCK_SKEW_MS = 60_000;
const MAX_SHOWN_CHARS = 200;

/** Seconds since the epoch, within what a date can show. */
const numericDate = z
  .number("must be a number of seconds")
  .check(z.minimum(0, "must be a date"), z.maximum(253_402_300_799, "must be a date"));

const timesSchema = z.object({
  exp: numericDate,
  iat: numericDate,
  nbf: z.optional(numericDate),
});

const idSchema = z.object({
  jti: z
    .string("must be text")
    .check(
      z.minLength(1, "must not be empty"),
      z.maxLength(255, "must have at most 255 characters"),
      z.regex(/^[^\p{C}]*$/u, "must not hold control characters"),
    ),
});

/** Until when a token is accepted, in milliseconds since the epoch. */
type Times = { readonly usableUntil: number };

/**
 * `aud` must be one string, ours. Where the provider has only lists, it must be a list of ours and nothing else; from
 * other providers even a list of one is refused.
 */
export function checkAudience(
  claims: JsonObject,
  { audience, form }: { audience: string; form: "text" | "list" },
): Result<void, ExchangeRefusal> {
  const { aud } = claims;
  const [only, ...more] = Array.isArray(aud) ? aud : [];
  const isOurs = form === "text" ? aud === audience : only === audience && more.length === 0;
  if (isOurs) return ok(undefined);
  return refused<ExchangeRefusal>({
    reason: "audience_mismatch",
    detail: `The token was made for another audience. Mint it for the audience "${audience}".`,
    expected: audience,
    got: show(claims.aud),
  });
}

type TimesCheck = { readonly nowMs: number; readonly maxLifetimeMs: number };

/** The `jti`, required. */
export function checkId(claims: JsonObject): Result<string, ExchangeRefusal> {
  const parsed = idSchema.safeParse(claims);
  return parsed.success ? ok(parsed.data.jti) : claimRefused(claims, parsed.error);
}

/** `exp` and `iat` are required, `nbf` is honoured, and the life from `iat` to `exp` is capped. */
export function checkTimes(claims: JsonObject, check: TimesCheck): Result<Times, ExchangeRefusal> {
  const parsed = timesSchema.safeParse(claims);
  if (!parsed.success) return claimRefused(claims, parsed.error);
  const { exp, iat, nbf = iat } = parsed.data;
  const { nowMs, maxLifetimeMs } = check;
  const usableUntil = exp * 1000 + CLOCK_SKEW_MS;
  if (nowMs >= usableUntil) {
    return refused<ExchangeRefusal>({
      reason: "token_expired",
      detail: "The token has expired. Mint a fresh one just before each exchange.",
      expected: `exp after ${isoTime(nowMs - CLOCK_SKEW_MS)}`,
      got: isoTime(exp * 1000),
    });
  }
  const validFrom = Math.max(iat, nbf) * 1000;
  if (nowMs < validFrom - CLOCK_SKEW_MS) {
    return refused<ExchangeRefusal>({
      reason: "token_not_yet_valid",
      detail: "The token is not valid yet. Compare the clocks of the issuer and of this service.",
      expected: `iat and nbf up to ${isoTime(nowMs + CLOCK_SKEW_MS)}`,
      got: isoTime(validFrom),
    });
  }
  if ((exp - iat) * 1000 > maxLifetimeMs) {
    return refused<ExchangeRefusal>({
      reason: "token_lifetime_too_long",
      detail: "The token lives longer than this service accepts. Mint one with a shorter life.",
      expected: `at most ${maxLifetimeMs / 1000} s`,
      got: `${exp - iat} s`,
    });
  }
  return ok({ usableUntil });
}

/** Names the first claim that is missing or not of its form. For verified claims: it repeats what they say. */
export function claimRefused(claims: JsonObject, error: z.core.$ZodError) {
  const issue = error.issues[0];
  const name = String(issue?.path[0] ?? "");
  const form = issue?.message ?? "must be there";
  return refused<ExchangeRefusal>({
    reason: "claim_missing",
    detail: `The token's claim "${name}" ${form}. Mint it in a job of a supported CI provider.`,
    expected: `${name} ${form}`,
    got: show(claims[name]),
  });
}

/** A claim for people: one short line, no control characters. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?")
    .slice(0, MAX_SHOWN_CHARS);
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

// Claims of an ID token that may be shown: a fixed list that identifies the job, decoded without believing them. Pure. The token
// itself is in none of it.

import { decodeJwt, errors, type JWTPayload } from "jose";
import { ciProviderNames, ciProviders } from "../contract/ci/providers.ts";

/** Never more than these: a claim that is new to us may be a secret to somebody. */
const shown = new Set(["iss", "aud", ...ciProviderNames.flatMap((name) => ciProviders[name].shownClaims)]);

/** Words that providers write between the values of `sub`. */
const subjectWords = new Set([
  "repo",
  "ref",
  "environment",
  "pull_request",
  "repository_id",
  "repository_owner",
  "job_workflow_ref",
  "project_path",
  "ref_type",
  "branch",
  "tag",
  "organization",
  "pipeline",
  "commit",
  "step",
  "org",
  "project",
  "user",
]);

export type TokenClaims = {
  readonly facts: Readonly<Record<string, string>>;
  /** Whole: only for whoever configures a trust by it. */
  readonly subject: string | null;
  readonly audiences: readonly string[];
  /** Seconds since the epoch. */
  readonly issuedAt: number | null;
  readonly lifeSeconds: number | null;
};

/** Null where it is no token. */
export function readClaims(token: string): TokenClaims | null {
  const claims = payloadOf(token);
  if (claims === null) return null;
  const { iat, exp, sub, aud } = claims;
  const issuedAt = typeof iat === "number" ? iat : null;
  const lifeSeconds = issuedAt !== null && typeof exp === "number" ? exp - issuedAt : null;
  const facts: Record<string, string> = {};
  for (const name of shown) {
    const text = textOf(claims[name]);
    if (text !== null) facts[name] = text;
  }
  if (typeof sub === "string") facts["sub, its form"] = subjectForm(sub, claims);
  if (lifeSeconds !== null) facts["exp - iat"] = `${lifeSeconds} s`;
  const audiences = (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === "string");
  const subject = typeof sub === "string" ? sub : null;
  return { facts, subject, audiences, issuedAt, lifeSeconds };
}

/** `repo:octo/hello:ref:refs/heads/main` as `repo:<repository>:ref:<ref>`: what is neither a word nor a claim is `…`. */
function subjectForm(sub: string, claims: Readonly<Record<string, unknown>>): string {
  return sub
    .split(":")
    .map((part) => {
      if (subjectWords.has(part)) return part;
      const claim = [...shown].find((name) => claims[name] === part);
      return claim === undefined ? "…" : `<${claim}>`;
    })
    .join(":");
}

function textOf(value: unknown): string | null {
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string").join(", ");
  return null;
}

function payloadOf(token: string): JWTPayload | null {
  try {
    return decodeJwt(token);
  } catch (cause) {
    if (cause instanceof errors.JOSEError) return null;
    throw cause;
  }
}

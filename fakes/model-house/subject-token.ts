// What a provider checks of an ID token: the signature by the issuer's published keys, then the claims. By node:crypto alone.

import { createPublicKey, verify } from "node:crypto";
import type { Trust } from "./trust.ts";

/** As an administrator finds it in the provider's log. A job is not told. */
export type HiddenReason =
  | "not_a_jwt"
  | "signature"
  | "issuer"
  | "expired"
  | "audience"
  | "match_subject_prefix"
  | "jti_reused"
  | "identifier_unknown"
  | "workspace_id_required"
  | "account_disabled";

export type Subject = { readonly jti: string; readonly expiresAtMs: number; readonly subject: string };

export type SubjectCheck = {
  readonly issuer: { readonly url: string; readonly jwksUri: string };
  readonly trust: Trust;
  readonly usedIds: ReadonlySet<string>;
  readonly nowMs: number;
};

/** The reason of a refusal, or the subject. */
export async function checkSubjectToken(token: string, check: SubjectCheck): Promise<Subject | HiddenReason> {
  const { issuer, trust, usedIds, nowMs } = check;
  const claims = await readVerified(token, issuer.jwksUri);
  if (claims === "not_a_jwt") return "not_a_jwt";
  if (claims.iss !== issuer.url) return "issuer";
  if (!claims.isSigned) return "signature";
  const expiresAtMs = Number(claims.exp) * 1000;
  if (!(expiresAtMs > nowMs) || Number(claims.nbf ?? 0) * 1000 > nowMs) return "expired";
  if (![claims.aud].flat().includes(trust.audience)) return "audience";
  const subject = String(claims.sub);
  if (!subject.startsWith(trust.subjectPrefix)) return "match_subject_prefix";
  // Not every CI provider gives its tokens an id.
  const jti = typeof claims.jti === "string" ? claims.jti : token;
  if (!trust.takesTokensAgain && usedIds.has(jti)) return "jti_reused";
  return { jti, expiresAtMs, subject };
}

/** Its claims, and whether a key of this set has signed them. */
export async function readVerified(
  token: string,
  jwksUri: string,
): Promise<(Readonly<Record<string, unknown>> & { readonly isSigned: boolean }) | "not_a_jwt"> {
  const parts = token.split(".");
  const [head = "", body = "", signature = ""] = parts;
  const header = decode(head);
  const claims = decode(body);
  if (parts.length !== 3 || header === null || claims === null) return "not_a_jwt";
  const key = await keyOf(jwksUri, header.kid);
  const isSigned =
    key !== null &&
    header.alg === "RS256" &&
    verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"));
  return { ...claims, isSigned };
}

async function keyOf(jwksUri: string, kid: unknown) {
  const answer = await fetch(jwksUri);
  const { keys } = (await answer.json()) as { keys: readonly Record<string, unknown>[] };
  const jwk = keys.find((one) => one.kid === kid);
  return jwk === undefined ? null : createPublicKey({ key: jwk, format: "jwk" });
}

function decode(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

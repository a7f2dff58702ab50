// Operators of the service on its pages: by a passkey that was registered by a link made on the machine, or by an identity that the
// settings name. An operator is nobody in any account. Times are milliseconds since the epoch. Pure.
// Why: docs/decisions/160-an-operator-is-nobody-in-an-account.md

import type { Passkey } from "../sign-in/identity.ts";

/** One passkey. Somebody with two devices is there twice. */
export type Operator = Omit<Passkey, "personId"> & { readonly id: string };

/** Issuer and subject name a person at a provider for good. */
export type OperatorIdentity = { readonly issuer: string; readonly subject: string };

export type OperatorLink = {
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | null;
};

/** As stored: the secret itself is not here. It is of an operator with a passkey, or of an identity. */
export type OperatorSession = {
  readonly id: string;
  readonly hash: string;
  readonly operatorId: string | null;
  readonly issuer: string | null;
  readonly subject: string | null;
  /** What the operator is called. */
  readonly name: string;
  readonly createdAt: number;
  /** It does not move: an operator signs in anew. */
  readonly expiresAt: number;
};

export const OPERATOR_SESSION_MS = 8 * 60 * 60 * 1000;

/** As the setting OPERATOR_IDENTITIES has it. An issuer has no fragment (OpenID Connect Core 1.0, section 2). */
export function identityText({ issuer, subject }: OperatorIdentity): string {
  return `${issuer}#${subject}`;
}

/** Some providers name themselves with a slash at the end, and some do not. */
export function isSameIdentity(one: OperatorIdentity, other: OperatorIdentity): boolean {
  return one.subject === other.subject && withoutSlash(one.issuer) === withoutSlash(other.issuer);
}

function withoutSlash(issuer: string): string {
  return issuer.endsWith("/") ? issuer.slice(0, -1) : issuer;
}

/** For the audit trail. */
export function operatorIdOf({
  operatorId,
  issuer,
  subject,
}: Pick<OperatorSession, "operatorId" | "issuer" | "subject">): string {
  return operatorId ?? identityText({ issuer: issuer ?? "", subject: subject ?? "" });
}

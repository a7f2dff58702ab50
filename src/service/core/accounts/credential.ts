// Credentials of an account: its keys and the access tokens of its applications, and the two caller classes. Pure.
// Why: docs/decisions/063-one-table-of-credentials.md

import type { TokenScope } from "../../../contract/oauth/scopes.ts";

/**
 * The two caller classes: the account's owner, or an AI client that acts for the owner and may not approve what only a
 * person should approve.
 */
export const callerClasses = ["owner", "ai_client"] as const;
export type CallerClass = (typeof callerClasses)[number];

/** A long-lived credential of an account, as stored: the secret itself is not here. */
export type ApiKey = {
  readonly id: string;
  readonly hash: string;
  readonly accountId: string;
  /** Who made it, and whose right it has. */
  readonly personId: string | null;
  readonly callerClass: CallerClass;
  /** The owner's name for it. */
  readonly name: string;
  /** The secret's last characters, to tell keys apart. */
  readonly hint: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
};

/** The right of an application to act for an account for a short time, as stored: the secret itself is not here. */
export type AccessToken = {
  readonly id: string;
  readonly hash: string;
  readonly accountId: string;
  /** Who allowed it, and whose right bounds it. Null: a CI job's, which is nobody's. */
  readonly personId: string | null;
  /** The application. */
  readonly clientId: string;
  /** Its scopes. */
  readonly scopes: readonly TokenScope[];
  /** The resource that it was issued for (RFC 8707). */
  readonly resource: string;
  /** The grant of the account's owner to the application: once that is revoked, so are its tokens. */
  readonly grantId: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
};

export type Credential =
  | ({ readonly kind: "key" } & ApiKey)
  | ({ readonly kind: "access_token" } & AccessToken);

// A browser in which a person is signed in to one of their accounts. It is a direct session, and never a bearer. Pure.

import type { Role } from "../../../contract/roles.ts";
import type { CallerPerson } from "../accounts/caller.ts";

/** Methods by which somebody proved who they are. */
export const signInMethods = ["link", "key", "passkey", "oidc", "github"] as const;
export type SignInMethod = (typeof signInMethods)[number];

/** As stored: the secret itself is not here. Times are milliseconds since the epoch. */
export type StoredWebSession = {
  readonly id: string;
  readonly hash: string;
  readonly accountId: string;
  readonly personId: string;
  readonly method: SignInMethod;
  /** The browser's user agent, cut. */
  readonly userAgent: string;
  readonly createdAt: number;
  readonly seenAt: number;
  /** When its person last proved who they are. */
  readonly authenticatedAt: number;
  readonly expiresAt: number;
  /** When it ends however often it is seen. Null: never. */
  readonly endsAt: number | null;
};

/** With what its person may do in the account, and what that is called, as of now. */
export type WebSession = StoredWebSession & {
  readonly role: Role;
  readonly person: CallerPerson;
  /** Null: it has no name. */
  readonly accountName: string | null;
};

/** It ends so long after it was last seen. */
export const WEB_SESSION_MS = 14 * 24 * 60 * 60 * 1000;
/** For what only a person who is there should do. */
export const RECENT_MS = 10 * 60 * 1000;
export function isRecent({ authenticatedAt }: Pick<WebSession, "authenticatedAt">, now: number): boolean {
  return now - authenticatedAt < RECENT_MS;
}

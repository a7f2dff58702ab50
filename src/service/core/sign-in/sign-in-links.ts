// A one-time link that signs a person in: made by the operator, usable once and for 15 minutes.

import { ok, type Result, refused } from "../../../base/result.ts";
import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../../base/secret-token.ts";
import { openAccount } from "../accounts/keys.ts";
import type { Core } from "../core.ts";
import type { SignInRefusal } from "./refusals.ts";

const SIGN_IN_LINK_PREFIX = "svc_link_";
export const SIGN_IN_LINK_MS = 15 * 60 * 1000;

export type MadeSignInLink = { readonly token: string; readonly expiresAt: number };

type LinkMaker = Pick<Core, "store" | "clock" | "random">;

/** Makes a link for an account. Its token is returned here and stored nowhere. Null when there is no such account. */
export async function makeSignInLink(core: LinkMaker, accountId: string): Promise<MadeSignInLink | null> {
  if ((await core.store.committed.accounts.find(accountId)) === null) return null;
  return await insertLink(core, accountId);
}

/**
 * Makes a link that opens the first account of a service that has none. Nothing is opened unless it is used; once there
 * is an account it opens nothing, so that whoever finds it in a log later gets nothing by it.
 */
export async function makeFirstSignInLink(core: LinkMaker): Promise<MadeSignInLink> {
  return await insertLink(core, null);
}

async function insertLink(core: LinkMaker, accountId: string | null): Promise<MadeSignInLink> {
  const now = core.clock.now();
  const { text, hash } = makeSecretToken(SIGN_IN_LINK_PREFIX, core.random.bytes(32));
  const expiresAt = now + SIGN_IN_LINK_MS;
  await core.store.transact((tx) =>
    tx.signIn.insertLink({ hash, accountId, createdAt: now, expiresAt, usedAt: null }),
  );
  return { token: text, expiresAt };
}

/** The effect that a link would have. Uses nothing up: scanners of mail open every link. Null when it does nothing. */
export async function describeSignInLink(
  core: Core,
  token: string,
): Promise<{ accountId: string | null; expiresAt: number } | null> {
  const link = await core.store.committed.signIn.findLink(linkHash(token));
  if (link === null || link.usedAt !== null || link.expiresAt <= core.clock.now()) return null;
  if (link.accountId === null && (await core.store.committed.accounts.count()) > 0) return null;
  return { accountId: link.accountId, expiresAt: link.expiresAt };
}

/** Uses a link up. Returns the account that it signs in, opened where the service had none. */
export async function useSignInLink(
  core: Core,
  token: string,
): Promise<Result<{ accountId: string }, SignInRefusal>> {
  const now = core.clock.now();
  const link = await core.store.transact(async (tx) => {
    const used = await tx.signIn.useLink({ hash: linkHash(token), now });
    if (used === null || used.accountId !== null) return used;
    return (await tx.accounts.count()) === 0 ? used : null;
  });
  if (link === null) return refused({ reason: "link_over" });
  if (link.accountId !== null) return ok({ accountId: link.accountId });
  return ok({ accountId: (await openAccount(core, "registered_free")).id });
}

/** A malformed token has a hash, too, which no link has. */
function linkHash(token: string): string {
  return isWellFormedSecret(SIGN_IN_LINK_PREFIX, token) ? hashSecret(token) : "";
}

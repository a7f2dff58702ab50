// A one-time link that signs a person in: made by the operator, usable once and for 15 minutes.

import { ok, type Result, refused } from "../../../base/result.ts";
import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../../base/secret-token.ts";
import { openAccount } from "../accounts/keys.ts";
import type { Core } from "../core.ts";
import type { ProvenMember } from "./proven-member.ts";
import type { SignInRefusal } from "./refusals.ts";
import type { SignInLink } from "./sign-in-link.ts";
import { GROUP_SESSION_MS, isByGroups } from "./sign-in-policy.ts";

const SIGN_IN_LINK_PREFIX = "svc_link_";
export const SIGN_IN_LINK_MS = 15 * 60 * 1000;

export type MadeSignInLink = { readonly token: string; readonly expiresAt: number };

type LinkMaker = Pick<Core, "store" | "clock" | "random">;

/**
 * Makes a link for a member of an account, by default for the owner who has been there longest. Its token is returned here and
 * stored nowhere. Null when there is no such account or member.
 */
export async function makeSignInLink(
  core: LinkMaker,
  accountId: string,
  personId?: string,
): Promise<MadeSignInLink | null> {
  const { people } = core.store.committed;
  const found = personId ?? (await people.findFirstOwner(accountId));
  if (found === null || (await people.findMember({ accountId, personId: found })) === null) return null;
  return await insertLink(core, { accountId, personId: found });
}

/**
 * Makes a link that opens the first account of a service that has none. Nothing is opened unless it is used; once there
 * is an account it opens nothing, so that whoever finds it in a log later gets nothing by it.
 */
export async function makeFirstSignInLink(core: LinkMaker): Promise<MadeSignInLink> {
  return await insertLink(core, { accountId: null, personId: null });
}

async function insertLink(
  core: LinkMaker,
  whom: Pick<SignInLink, "accountId" | "personId">,
): Promise<MadeSignInLink> {
  const now = core.clock.now();
  const { text, hash } = makeSecretToken(SIGN_IN_LINK_PREFIX, core.random.bytes(32));
  const expiresAt = now + SIGN_IN_LINK_MS;
  await core.store.transact((tx) =>
    tx.signIn.insertLink({ hash, ...whom, createdAt: now, expiresAt, usedAt: null }),
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

/** Uses a link up. Returns whom it signs in, and to which account: opened where the service had none. */
export async function useSignInLink(core: Core, token: string): Promise<Result<ProvenMember, SignInRefusal>> {
  const now = core.clock.now();
  const link = await core.store.transact(async (tx) => {
    const used = await tx.signIn.useLink({ hash: linkHash(token), now });
    if (used === null || used.accountId !== null) return used;
    return (await tx.accounts.count()) === 0 ? used : null;
  });
  if (link === null) return refused({ reason: "link_over" });
  const { accountId, personId } = link;
  if (accountId === null || personId === null) {
    const { id, ownerId } = await openAccount(core, "registered_free");
    return ok({ accountId: id, personId: ownerId });
  }
  const member = await core.store.committed.people.findMember({ accountId, personId });
  if (member === null) return refused({ reason: "link_over" });
  const bounded = isByGroups(core.policy.signIn, member) ? { endsAt: now + GROUP_SESSION_MS } : {};
  return ok({ accountId, personId, ...bounded });
}

/** A malformed token has a hash, too, which no link has. */
function linkHash(token: string): string {
  return isWellFormedSecret(SIGN_IN_LINK_PREFIX, token) ? hashSecret(token) : "";
}

// Signs browsers in and out.

import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../../base/secret-token.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import { type SignInMethod, WEB_SESSION_MS, type WebSession } from "./web-session.ts";

export const WEB_SESSION_PREFIX = "svc_ws_";
/** The precision of `seenAt`. */
const SEEN_STEP_MS = 60 * 60 * 1000;
const MAX_USER_AGENT_CHARS = 300;

type Sessions = Pick<Core, "store" | "clock" | "random">;

/** Signs somebody in. The secret is returned here, for the browser's cookie, and stored nowhere. */
export async function openWebSession(
  { store, clock, random }: Sessions,
  signedIn: { accountId: string; method: SignInMethod; userAgent: string },
): Promise<{ session: WebSession; secret: string }> {
  const now = clock.now();
  const token = makeSecretToken(WEB_SESSION_PREFIX, random.bytes(32));
  const session: WebSession = {
    id: random.uuid(now),
    hash: token.hash,
    accountId: signedIn.accountId,
    method: signedIn.method,
    userAgent: signedIn.userAgent.slice(0, MAX_USER_AGENT_CHARS),
    createdAt: now,
    seenAt: now,
    authenticatedAt: now,
    expiresAt: now + WEB_SESSION_MS,
  };
  await store.transact((tx) => tx.webSessions.insert(session));
  return { session, secret: token.text };
}

/** The session of a cookie's secret, which lives on. Null where there is none, or it has ended. */
export async function findWebSession(
  { store, clock }: Sessions,
  secret: string | null,
): Promise<WebSession | null> {
  if (secret === null || !isWellFormedSecret(WEB_SESSION_PREFIX, secret)) return null;
  const session = await store.committed.webSessions.find(hashSecret(secret));
  const now = clock.now();
  if (session === null || session.expiresAt <= now) return null;
  if (now - session.seenAt < SEEN_STEP_MS) return session;
  const seen = { hash: session.hash, seenAt: now, expiresAt: now + WEB_SESSION_MS };
  await store.transact((tx) => tx.webSessions.see(seen));
  return { ...session, ...seen };
}

/** Its person has proved again who they are. */
export async function confirmWebSession(
  { store, clock }: Sessions,
  { hash }: Pick<WebSession, "hash">,
): Promise<void> {
  await store.transact((tx) => tx.webSessions.authenticate({ hash, now: clock.now() }));
}

/** Signs one browser out, with an audit entry. False where the account has no such session. */
export async function endWebSession(
  core: Sessions,
  { accountId, id, requestId }: Pick<WebSession, "accountId" | "id"> & { readonly requestId: string },
): Promise<boolean> {
  return await core.store.transact(async (tx) => {
    const isEnded = await tx.webSessions.delete({ accountId, id });
    if (isEnded) await auditAccount(core, tx, { action: "sign_out", outcome: "ok", accountId, requestId });
    return isEnded;
  });
}

/** Signs every browser of an account out, but for the one with this id, with one audit entry. Returns how many. */
export async function endOtherWebSessions(
  core: Sessions,
  { requestId, ...which }: { accountId: string; kept: string | null; requestId: string },
): Promise<number> {
  return await core.store.transact(async (tx) => {
    const ended = await tx.webSessions.deleteAll(which);
    const step = { action: "sign_out", outcome: "ok", accountId: which.accountId, requestId } as const;
    if (ended > 0) await auditAccount(core, tx, step);
    return ended;
  });
}

/** Whoever is signed in is the account's owner. */
export function ownerOf({ accountId }: Pick<WebSession, "accountId">): AccountCaller {
  return { kind: "account", accountId, callerClass: "owner" };
}

// Signs browsers in and out.

import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../../base/secret-token.ts";
import { readAccount } from "../accounts/account-name.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import { type AccountCaller, callerPerson } from "../accounts/caller.ts";
import type { Core } from "../core.ts";
import { type SignInMethod, type StoredWebSession, WEB_SESSION_MS, type WebSession } from "./web-session.ts";

export const WEB_SESSION_PREFIX = "svc_ws_";
/** The precision of `seenAt`. */
const SEEN_STEP_MS = 60 * 60 * 1000;
const MAX_USER_AGENT_CHARS = 300;

type Sessions = Pick<Core, "store" | "clock" | "random">;

export type SignedInPerson = {
  readonly accountId: string;
  readonly personId: string;
  readonly method: SignInMethod;
  readonly userAgent: string;
  /** When it ends at the latest. Left out: it goes on while it is seen. */
  readonly endsAt?: number;
  /** When its person proved who they are. Left out: now. */
  readonly authenticatedAt?: number;
};

/**
 * Signs somebody in. The secret is returned here, for the browser's cookie, and stored nowhere. Throws where the person is no
 * member of the account.
 */
export async function openWebSession(
  { store, clock, random }: Sessions,
  signedIn: SignedInPerson,
): Promise<{ session: WebSession; secret: string }> {
  const now = clock.now();
  const token = makeSecretToken(WEB_SESSION_PREFIX, random.bytes(32));
  const { accountId, personId, endsAt = null, authenticatedAt = now } = signedIn;
  const member = await store.committed.people.findMember({ accountId, personId });
  if (member === null) throw new Error(`Person ${personId} is no member of account ${accountId}.`);
  const account = await readAccount({ store }, { accountId });
  const session: StoredWebSession = {
    id: random.uuid(now),
    hash: token.hash,
    accountId,
    personId,
    method: signedIn.method,
    userAgent: signedIn.userAgent.slice(0, MAX_USER_AGENT_CHARS),
    createdAt: now,
    seenAt: now,
    authenticatedAt,
    expiresAt: Math.min(now + WEB_SESSION_MS, endsAt ?? Number.POSITIVE_INFINITY),
    endsAt,
  };
  await store.transact((tx) => tx.webSessions.insert(session));
  const { name, role, dayCapMicroUsd = null } = member;
  const person = callerPerson({ name, dayCapMicroUsd });
  return { session: { ...session, role, person, accountName: account.name }, secret: token.text };
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
  const expiresAt = Math.min(now + WEB_SESSION_MS, session.endsAt ?? Number.POSITIVE_INFINITY);
  const seen = { hash: session.hash, seenAt: now, expiresAt };
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

/** Signs one of a person's browsers out, with an audit entry. False where they have no such session. */
export async function endWebSession(
  core: Sessions,
  ended: Pick<WebSession, "accountId" | "personId" | "id"> & { readonly requestId: string },
): Promise<boolean> {
  return await core.store.transact(async (tx) => {
    const { accountId, personId, id, requestId } = ended;
    const isEnded = await tx.webSessions.delete({ personId, id });
    const step = { action: "sign_out", outcome: "ok", accountId, personId, requestId } as const;
    if (isEnded) await auditAccount(core, tx, step);
    return isEnded;
  });
}

/** Signs every browser of a person out, but for the one with this id, with one audit entry. Returns how many. */
export async function endOtherWebSessions(
  core: Sessions,
  request: { accountId: string; personId: string; kept: string | null; requestId: string },
): Promise<number> {
  return await core.store.transact(async (tx) => {
    const { accountId, personId, kept, requestId } = request;
    const ended = await tx.webSessions.deleteAll({ personId, kept });
    const step = { action: "sign_out", outcome: "ok", accountId, personId, requestId } as const;
    if (ended > 0) await auditAccount(core, tx, step);
    return ended;
  });
}

/** Whoever is signed in acts in person, as far as their role goes. */
export function personIn({
  accountId,
  personId,
  role,
  person = {},
}: Pick<WebSession, "accountId" | "personId" | "role"> & Partial<Pick<WebSession, "person">>): AccountCaller {
  return { kind: "account", accountId, callerClass: "owner", personId, role, ...person };
}

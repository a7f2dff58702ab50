// Grants: opened by an account's owner, revoked by the owner, by the application or where a token was stolen. Tokens are
// issued only while their grant is alive, in one transaction with looking at it.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { AccessToken } from "../accounts/credential.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { Artifact } from "./artifact.ts";
import { isAlive, type OAuthGrant } from "./grant.ts";

/** Within which an application has to be allowed anew. */
export const GRANT_MS = 90 * 24 * 60 * 60 * 1000;
/** A client that registered itself and was never used is forgotten sooner. */
const USED_CLIENT_MS = 400 * 24 * 60 * 60 * 1000;

type Granter = Pick<Core, "store" | "clock" | "random">;
type NewGrant = Pick<
  OAuthGrant,
  "accountId" | "personId" | "clientId" | "clientName" | "scope" | "resource"
> & {
  /** Default: GRANT_MS. */
  readonly livesMs?: number;
};

/** Allows an application what its owner agreed to. */
export async function openGrant(core: Granter, wanted: NewGrant): Promise<OAuthGrant> {
  const { livesMs = GRANT_MS, ...terms } = wanted;
  const now = core.clock.now();
  const id = core.random.uuid(now);
  const dates = { createdAt: now, expiresAt: now + livesMs, lastUsedAt: null, revokedAt: null };
  const grant: OAuthGrant = { id, ...terms, ...dates };
  await core.store.transact((tx) => tx.oauthGrants.insert(grant));
  return grant;
}

/** Ends a grant with all its tokens and codes, at once. Safe to repeat. */
export async function revokeGrant(core: Pick<Core, "store" | "clock">, id: string): Promise<void> {
  await spendGrant(core, id);
}

/** The same, for what is done once under a grant. False where the grant had ended. */
export async function spendGrant(core: Pick<Core, "store" | "clock">, id: string): Promise<boolean> {
  const now = core.clock.now();
  return await core.store.transact((tx) => endGrant(tx, { id, now }));
}

/** The same within a transaction. */
export async function endGrant(
  tx: StoreTransaction,
  { id, now }: { id: string; now: number },
): Promise<boolean> {
  // Locked first: a token that is being issued is either there already, or is refused.
  const grant = await tx.oauthGrants.lock(id);
  if (grant === null) return false;
  await tx.oauthGrants.revoke({ id, now });
  await tx.credentials.revokeTokensOf({ grantId: id, now });
  await tx.oauthArtifacts.deleteOf(id);
  return isAlive(grant, now);
}

/** The same for one of an account's grants. False when the account has no such grant. */
export async function revokeGrantOf(
  core: Pick<Core, "store" | "clock">,
  { accountId, id }: { accountId: string; id: string },
): Promise<boolean> {
  const grant = await core.store.committed.oauthGrants.find(id);
  if (grant === null || grant.accountId !== accountId) return false;
  await revokeGrant(core, id);
  return true;
}

/** The applications that an account's owner has allowed, newest first. */
export async function listGrants(
  core: Pick<Core, "store" | "clock">,
  accountId: string,
): Promise<readonly OAuthGrant[]> {
  return await core.store.committed.oauthGrants.list({ accountId, now: core.clock.now() });
}

type GrantEnded = { readonly reason: "grant_ended" };

/** Keeps an access token that is to be issued under a living grant. */
export async function keepAccessToken(
  core: Granter,
  token: Omit<AccessToken, "personId">,
): Promise<Result<null, GrantEnded>> {
  return await underGrant(core, token.grantId, async (tx, { personId, now }) => {
    await tx.credentials.insert({ kind: "access_token", ...token, personId });
    await tx.oauthGrants.touch({ id: token.grantId, now });
  });
}

/** Keeps a code or a refresh token that is to be issued under a living grant. */
export async function keepGrantArtifact(
  core: Granter,
  artifact: Artifact & { readonly grantId: string },
): Promise<Result<null, GrantEnded>> {
  return await underGrant(core, artifact.grantId, (tx) => tx.oauthArtifacts.put(artifact));
}

async function underGrant(
  core: Granter,
  grantId: string,
  write: (tx: StoreTransaction, grant: Pick<OAuthGrant, "personId"> & { now: number }) => Promise<void>,
): Promise<Result<null, GrantEnded>> {
  const now = core.clock.now();
  return await core.store.transact(async (tx): Promise<Result<null, GrantEnded>> => {
    const grant = await tx.oauthGrants.lock(grantId);
    if (grant === null || !isAlive(grant, now)) return refused({ reason: "grant_ended" });
    await write(tx, { ...grant, now });
    return ok(null);
  });
}

/** Keeps a client that registered itself for as long as it may be used: it was just allowed something. */
export async function keepRegisteredClient(core: Granter, idHash: string): Promise<void> {
  const now = core.clock.now();
  await core.store.transact(async (tx) => {
    const client = await tx.oauthArtifacts.find({ kind: "Client", idHash });
    if (client !== null) await tx.oauthArtifacts.put({ ...client, expiresAt: now + USED_CLIENT_MS });
  });
}

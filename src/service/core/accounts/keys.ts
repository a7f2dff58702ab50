// Accounts and their keys: made, listed and revoked by the operator.

import { makeSecretToken } from "../../../base/secret-token.ts";
import type { Core } from "../core.ts";
import { accountWallet, GRANTS, grantInMicroUsd } from "../money/ledger.ts";
import type { Plan } from "../money/plan.ts";
import type { Account } from "./account.ts";
import { keyPrefixes } from "./caller.ts";
import type { ApiKey, CallerClass } from "./credential.ts";
import type { Membership, Person } from "./person.ts";

type KeyMaker = Pick<Core, "store" | "clock" | "random" | "rates">;

/** Opens an account with the first credits of its plan, and a person who owns it. */
export async function openAccount(
  core: KeyMaker,
  plan: Plan,
): Promise<Account & { readonly ownerId: string }> {
  const now = core.clock.now();
  const id = core.random.uuid(now);
  const account: Account = { id, name: null, plan, createdAt: now, subscription: null };
  const owner: Person = { id: core.random.uuid(now), name: "", createdAt: now };
  const microUsd = grantInMicroUsd(core.rates.plans[plan].firstCredits);
  await core.store.transact(async (tx) => {
    const wallet = accountWallet(account.id);
    await tx.accounts.insert(account);
    await tx.people.insert(owner);
    await tx.people.addMember(ownership(account.id, owner));
    await tx.ledger.open(wallet);
    if (microUsd === 0) return;
    const id = core.random.uuid(now);
    await tx.ledger.post({ id, at: now, kind: "grant", from: GRANTS, to: wallet, microUsd, runId: null });
  });
  return { ...account, ownerId: owner.id };
}

function ownership(accountId: string, { id, createdAt }: Person): Membership {
  const terms = { role: "owner", source: "opened", addedBy: null } as const;
  return { accountId, personId: id, addedAt: createdAt, ...terms };
}

/**
 * Makes a key. Its secret is returned here and stored nowhere. `personId` made it: left out by the operator, whose keys are those
 * of the owner who has been there longest. Throws where the account has no owner.
 */
export async function makeApiKey(
  core: KeyMaker,
  request: { accountId: string; personId?: string; callerClass: CallerClass; name: string },
): Promise<{ key: ApiKey; secret: string }> {
  const { accountId } = request;
  const personId = request.personId ?? (await core.store.committed.people.findFirstOwner(accountId));
  if (personId === null) throw new Error(`Account ${accountId} has no owner.`);
  const now = core.clock.now();
  const token = makeSecretToken(keyPrefixes[request.callerClass], core.random.bytes(32));
  const key: ApiKey = {
    id: core.random.uuid(now),
    hash: token.hash,
    ...request,
    personId,
    hint: token.text.slice(-4),
    createdAt: now,
    lastUsedAt: null,
    revokedAt: null,
  };
  await core.store.transact((tx) => tx.credentials.insert({ kind: "key", ...key }));
  return { key, secret: token.text };
}

/** Revokes a key. False when there is no such key, or it was revoked before. */
export async function revokeApiKey(core: KeyMaker, id: string): Promise<boolean> {
  const now = core.clock.now();
  return await core.store.transact((tx) => tx.credentials.revokeKey({ id, now }));
}

/** Gives an account credits. False when there is no such account. */
export async function grantCredits(
  core: KeyMaker,
  grant: { accountId: string; credits: number },
): Promise<boolean> {
  const now = core.clock.now();
  const posting = {
    id: core.random.uuid(now),
    at: now,
    kind: "grant",
    from: GRANTS,
    to: accountWallet(grant.accountId),
    microUsd: grantInMicroUsd(grant.credits),
    runId: null,
  } as const;
  return await core.store.transact(async (tx) => {
    if ((await tx.accounts.find(grant.accountId)) === null) return false;
    await tx.ledger.post(posting);
    return true;
  });
}

// Accounts and their keys: made, listed and revoked by the operator.

import { makeSecretToken } from "../../../base/secret-token.ts";
import type { Core } from "../core.ts";
import { accountWallet, GRANTS, grantInMicroUsd } from "../money/ledger.ts";
import type { Plan } from "../money/plan.ts";
import type { Account } from "./account.ts";
import { keyPrefixes } from "./caller.ts";
import type { ApiKey, CallerClass } from "./credential.ts";

type KeyMaker = Pick<Core, "store" | "clock" | "random" | "rates">;

/** Opens an account and grants it the first credits of its plan. */
export async function openAccount(core: KeyMaker, plan: Plan): Promise<Account> {
  const now = core.clock.now();
  const account: Account = { id: core.random.uuid(now), plan, createdAt: now, subscription: null };
  const microUsd = grantInMicroUsd(core.rates.plans[plan].firstCredits);
  await core.store.transact(async (tx) => {
    const wallet = accountWallet(account.id);
    await tx.accounts.insert(account);
    await tx.ledger.open(wallet);
    if (microUsd === 0) return;
    const id = core.random.uuid(now);
    await tx.ledger.post({ id, at: now, kind: "grant", from: GRANTS, to: wallet, microUsd, runId: null });
  });
  return account;
}

/** Makes a key. Its secret is returned here and stored nowhere. */
export async function makeApiKey(
  core: KeyMaker,
  request: { accountId: string; callerClass: CallerClass; name: string },
): Promise<{ key: ApiKey; secret: string }> {
  const now = core.clock.now();
  const token = makeSecretToken(keyPrefixes[request.callerClass], core.random.bytes(32));
  const key: ApiKey = {
    id: core.random.uuid(now),
    hash: token.hash,
    ...request,
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

// The name that an account's people know it by: read with the account, given and taken away.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Core } from "../core.ts";
import type { Account } from "./account.ts";
import { auditAccount } from "./audit-account.ts";
import { type AccountCaller, isOwner } from "./caller.ts";
import type { OwnerNeededRefusal } from "./refusals.ts";

/** The account of a credential. */
export async function readAccount(
  { store }: Pick<Core, "store">,
  { accountId }: Pick<AccountCaller, "accountId">,
): Promise<Account> {
  const account = await store.committed.accounts.find(accountId);
  if (account === null) throw new Error(`There is no account ${accountId}, though it has a credential.`);
  return account;
}

/** An owner or an admin names their account; with null it has no name any more, undefined leaves it as it is. Safe to repeat. */
export async function changeAccountName(
  core: Pick<Core, "store" | "clock" | "random" | "policy">,
  request: {
    readonly caller: AccountCaller;
    readonly name: string | null | undefined;
    readonly requestId: string;
  },
): Promise<Result<Account, OwnerNeededRefusal>> {
  const { caller, name, requestId } = request;
  const { accountId, personId } = caller;
  if (!isOwner(caller)) {
    const url = `${core.policy.webUrl}/settings/account`;
    return refused({ reason: "owner_needed", what: "name the account", url });
  }
  const named = name === undefined ? null : await nameAccount(core, { accountId, name, personId, requestId });
  return ok(named ?? (await readAccount(core, caller)));
}

/** Names an account, with an audit entry where that changes something. Null when there is no such account. Safe to repeat. */
export async function nameAccount(
  core: Pick<Core, "store" | "clock" | "random">,
  request: {
    readonly accountId: string;
    /** As the contract's schema admits it. Null: none. */
    readonly name: string | null;
    /** Null: the operator. */
    readonly personId: string | null;
    readonly requestId: string;
  },
): Promise<Account | null> {
  const { name, ...by } = request;
  return await core.store.transact(async (tx) => {
    const account = await tx.accounts.lock(by.accountId);
    if (account === null || account.name === name) return account;
    const named: Account = { ...account, name };
    await tx.accounts.update(named);
    await auditAccount(core, tx, { action: "account_named", outcome: "ok", ...by });
    return named;
  });
}

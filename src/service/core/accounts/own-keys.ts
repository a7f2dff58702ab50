// The keys of an account, as its owner lists, makes and revokes them on a page.

import { ok, type Result, refused } from "../../../base/result.ts";
import { isAtLeast, type Role } from "../../../contract/roles.ts";
import type { Core } from "../core.ts";
import { auditAccount } from "./audit-account.ts";
import type { ApiKey, CallerClass } from "./credential.ts";
import { makeApiKey } from "./keys.ts";

/** Keys of one account that are in force. */
const MAX_KEYS = 100;

type OwnKeyRefusal =
  | { readonly reason: "keys_reached"; readonly allowed: number }
  | { readonly reason: "key_not_found" };

/** Owners' keys are for owners to make and to revoke, those of AI clients for admins, too. */
export function mayKeepKeys(role: Role, callerClass: CallerClass): boolean {
  return isAtLeast(role, callerClass === "owner" ? "owner" : "admin");
}

/** Those in force first, then those that were revoked; of both the newest first. */
export async function listOwnKeys(core: Core, accountId: string): Promise<readonly ApiKey[]> {
  const newestFirst = [...(await core.store.committed.credentials.listKeys(accountId))].reverse();
  return [
    ...newestFirst.filter(({ revokedAt }) => revokedAt === null),
    ...newestFirst.filter(({ revokedAt }) => revokedAt !== null),
  ];
}

/** Makes a key. Its secret is returned here and stored nowhere. */
export async function makeOwnKey(
  core: Core,
  request: { accountId: string; personId: string; callerClass: CallerClass; name: string; requestId: string },
): Promise<Result<{ key: ApiKey; secret: string }, OwnKeyRefusal>> {
  const { accountId, personId, callerClass, name, requestId } = request;
  const held = await core.store.committed.credentials.listKeys(accountId);
  if (held.filter(({ revokedAt }) => revokedAt === null).length >= MAX_KEYS) {
    return refused({ reason: "keys_reached", allowed: MAX_KEYS });
  }
  const made = await makeApiKey(core, { accountId, personId, callerClass, name });
  await audit(core, { action: "key_made", accountId, personId, callerClass, requestId });
  return ok(made);
}

/** Revokes a key of the account. Safe to repeat. */
export async function revokeOwnKey(
  core: Core,
  request: { accountId: string; personId: string | null; id: string; requestId: string },
): Promise<Result<ApiKey, OwnKeyRefusal>> {
  const { accountId, personId, id, requestId } = request;
  const key = (await core.store.committed.credentials.listKeys(accountId)).find((one) => one.id === id);
  if (key === undefined) return refused({ reason: "key_not_found" });
  const now = core.clock.now();
  const isRevoked = await core.store.transact((tx) => tx.credentials.revokeKey({ id, now }));
  if (isRevoked)
    await audit(core, {
      action: "key_revoked",
      accountId,
      personId,
      callerClass: key.callerClass,
      requestId,
    });
  return ok(key);
}

async function audit(
  core: Core,
  step: {
    action: "key_made" | "key_revoked";
    accountId: string;
    personId: string | null;
    callerClass: CallerClass;
    requestId: string;
  },
): Promise<void> {
  const { callerClass: method, ...entry } = step;
  await core.store.transact((tx) => auditAccount(core, tx, { ...entry, outcome: "ok", method }));
}

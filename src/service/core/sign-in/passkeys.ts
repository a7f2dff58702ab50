// Passkeys of an account: added, used, removed. What an authenticator signed is verified before it comes here.

import { ok, type Result, refused } from "../../../base/result.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import type { Core } from "../core.ts";
import type { Passkey } from "./identity.ts";
import type { LinkIdentityRefusal, SignInRefusal } from "./refusals.ts";

/** Of one account. */
const MAX_PASSKEYS = 50;

/** A new passkey as a verified registration describes it. */
export type NewPasskey = Pick<
  Passkey,
  "credentialId" | "publicKey" | "counter" | "transports" | "isBackedUp" | "name"
>;

type Step = { readonly accountId: string; readonly requestId: string };

/** Gives an account a passkey. */
export async function addPasskey(
  core: Core,
  { accountId, requestId, passkey }: Step & { passkey: NewPasskey },
): Promise<Result<Passkey, LinkIdentityRefusal>> {
  const added: Passkey = { ...passkey, accountId, createdAt: core.clock.now(), lastUsedAt: null };
  return await core.store.transact(async (tx): Promise<Result<Passkey, LinkIdentityRefusal>> => {
    if ((await tx.identities.listPasskeys(accountId)).length >= MAX_PASSKEYS) {
      return refused({ reason: "passkeys_reached", allowed: MAX_PASSKEYS });
    }
    if (!(await tx.identities.insertPasskey(added))) return refused({ reason: "passkey_known" });
    const step = { action: "passkey_added", outcome: "ok", method: "passkey" } as const;
    await auditAccount(core, tx, { ...step, accountId, requestId });
    return ok(added);
  });
}

/** Takes a passkey from an account. False when the account has no such passkey. */
export async function removePasskey(
  core: Core,
  { accountId, requestId, credentialId }: Step & { credentialId: string },
): Promise<boolean> {
  return await core.store.transact(async (tx) => {
    if (!(await tx.identities.removePasskey({ credentialId, accountId }))) return false;
    const step = { action: "passkey_removed", outcome: "ok", method: "passkey" } as const;
    await auditAccount(core, tx, { ...step, accountId, requestId });
    return true;
  });
}

/** The account of a passkey whose signature was verified. Refused where its counter says that it was copied. */
export async function signInByPasskey(
  core: Core,
  used: { passkey: Passkey; counter: number; isBackedUp: boolean },
): Promise<Result<{ accountId: string }, SignInRefusal>> {
  const { passkey, counter, isBackedUp } = used;
  const { credentialId, accountId } = passkey;
  const use = { credentialId, counter, isBackedUp, now: core.clock.now() };
  const isUsed = await core.store.transact((tx) => tx.identities.usePasskey(use));
  return isUsed ? ok({ accountId }) : refused({ reason: "passkey_refused" });
}

// Passkeys of a person: added, used, removed. What an authenticator signed is verified before it comes here.

import { ok, type Result, refused } from "../../../base/result.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import type { Core } from "../core.ts";
import type { Passkey } from "./identity.ts";
import { memberOf, type ProvenMember } from "./proven-member.ts";
import type { LinkIdentityRefusal, SignInRefusal } from "./refusals.ts";

/** Of one person. */
const MAX_PASSKEYS = 50;

/** A new passkey as a verified registration describes it. */
export type NewPasskey = Pick<
  Passkey,
  "credentialId" | "publicKey" | "counter" | "transports" | "isBackedUp" | "name"
>;

/** `accountId` is for the audit trail: the one that the person is signed in to. */
type Step = { readonly accountId: string; readonly personId: string; readonly requestId: string };

/** Gives a person a passkey. */
export async function addPasskey(
  core: Core,
  { accountId, personId, requestId, passkey }: Step & { passkey: NewPasskey },
): Promise<Result<Passkey, LinkIdentityRefusal>> {
  const added: Passkey = { ...passkey, personId, createdAt: core.clock.now(), lastUsedAt: null };
  return await core.store.transact(async (tx): Promise<Result<Passkey, LinkIdentityRefusal>> => {
    if ((await tx.identities.listPasskeys(personId)).length >= MAX_PASSKEYS) {
      return refused({ reason: "passkeys_reached", allowed: MAX_PASSKEYS });
    }
    if (!(await tx.identities.insertPasskey(added))) return refused({ reason: "passkey_known" });
    const step = { action: "passkey_added", outcome: "ok", method: "passkey" } as const;
    await auditAccount(core, tx, { ...step, accountId, personId, requestId });
    return ok(added);
  });
}

/** Takes a passkey from a person. False when they have no such passkey. */
export async function removePasskey(
  core: Core,
  { accountId, personId, requestId, credentialId }: Step & { credentialId: string },
): Promise<boolean> {
  return await core.store.transact(async (tx) => {
    if (!(await tx.identities.removePasskey({ credentialId, personId }))) return false;
    const step = { action: "passkey_removed", outcome: "ok", method: "passkey" } as const;
    await auditAccount(core, tx, { ...step, accountId, personId, requestId });
    return true;
  });
}

/** The person of a passkey whose signature was verified. Refused where its counter says that it was copied. */
export async function signInByPasskey(
  core: Core,
  used: { passkey: Passkey; counter: number; isBackedUp: boolean },
): Promise<Result<ProvenMember, SignInRefusal>> {
  const { passkey, counter, isBackedUp } = used;
  const { credentialId, personId } = passkey;
  const use = { credentialId, counter, isBackedUp, now: core.clock.now() };
  const isUsed = await core.store.transact((tx) => tx.identities.usePasskey(use));
  if (!isUsed) return refused({ reason: "passkey_refused" });
  return await memberOf(core, personId);
}

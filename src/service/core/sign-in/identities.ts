// Identities at other providers: who signs in by one, which person has it, who links and removes one.

import { ok, type Result, refused } from "../../../base/result.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import { openAccount } from "../accounts/keys.ts";
import type { Core } from "../core.ts";
import type { Identity, ProvenIdentity } from "./identity.ts";
import { memberOf, type ProvenMember } from "./proven-member.ts";
import type { LinkIdentityRefusal, SignInRefusal } from "./refusals.ts";
import { maySignUp } from "./sign-in-policy.ts";

/** `accountId` is for the audit trail: the one that the person is signed in to. */
type Step = { readonly accountId: string; readonly personId: string; readonly requestId: string };

/**
 * The person of an identity. Where it has none and the operator allows it, a new one with an account. `email` is what the provider has
 * verified; null where it has verified none. An address never leads to an account that is there: only what was linked does.
 */
export async function signInByIdentity(
  core: Core,
  proven: { identity: ProvenIdentity; email: string | null; requestId: string },
): Promise<Result<ProvenMember, SignInRefusal>> {
  const { identity, email, requestId } = proven;
  const known = await core.store.committed.identities.find(identity);
  if (known !== null) {
    const use = { id: known.id, name: identity.name, now: core.clock.now() };
    await core.store.transact((tx) => tx.identities.touch(use));
    const member = await memberOf(core, known.personId);
    return member === null ? refused({ reason: "no_account" }) : ok(member);
  }
  if (!maySignUp(core.policy.signIn.signUp, email)) return refused({ reason: "sign_up_closed" });
  const { id: accountId, ownerId: personId } = await openAccount(core, "registered_free");
  const linked = await linkIdentity(core, { accountId, personId, requestId, identity });
  return linked.ok ? ok({ accountId, personId }) : refused({ reason: "attempt_over" });
}

/** Links an identity to a person. Safe to repeat. */
export async function linkIdentity(
  core: Core,
  { accountId, personId, requestId, identity }: Step & { identity: ProvenIdentity },
): Promise<Result<null, LinkIdentityRefusal>> {
  const now = core.clock.now();
  const row: Identity = {
    ...identity,
    id: core.random.uuid(now),
    personId,
    createdAt: now,
    lastUsedAt: null,
  };
  return await core.store.transact(async (tx): Promise<Result<null, LinkIdentityRefusal>> => {
    const known = await tx.identities.find(identity);
    if (known?.personId === personId) return ok(null);
    if (known !== null || !(await tx.identities.insert(row))) {
      return refused({ reason: "identity_of_another" });
    }
    const step = { action: "identity_linked", outcome: "ok", method: identity.kind } as const;
    await auditAccount(core, tx, { ...step, accountId, personId, requestId });
    return ok(null);
  });
}

/** Takes an identity from a person. False when they have no such identity. */
export async function removeIdentity(
  core: Core,
  { accountId, personId, requestId, id }: Step & { id: string },
): Promise<boolean> {
  return await core.store.transact(async (tx) => {
    if (!(await tx.identities.remove({ id, personId }))) return false;
    const step = { action: "identity_removed", outcome: "ok", accountId, personId, requestId } as const;
    await auditAccount(core, tx, step);
    return true;
  });
}

// Identities at other providers: who signs in by one, which account has it, who links and removes one.

import { ok, type Result, refused } from "../../../base/result.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import { openAccount } from "../accounts/keys.ts";
import type { Core } from "../core.ts";
import type { Identity, ProvenIdentity } from "./identity.ts";
import type { LinkIdentityRefusal, SignInRefusal } from "./refusals.ts";
import { maySignUp } from "./sign-in-policy.ts";

type Step = { readonly accountId: string; readonly requestId: string };

/**
 * The account of an identity. Where it has none and the operator allows it, a new one. `email` is what the provider has
 * verified; null where it has verified none. An address never leads to an account that is there: only what was linked does.
 */
export async function signInByIdentity(
  core: Core,
  proven: { identity: ProvenIdentity; email: string | null; requestId: string },
): Promise<Result<{ accountId: string }, SignInRefusal>> {
  const { identity, email, requestId } = proven;
  const known = await core.store.committed.identities.find(identity);
  if (known !== null) {
    const use = { id: known.id, name: identity.name, now: core.clock.now() };
    await core.store.transact((tx) => tx.identities.touch(use));
    return ok({ accountId: known.accountId });
  }
  if (!maySignUp(core.policy.signIn.signUp, email)) return refused({ reason: "sign_up_closed" });
  const { id: accountId } = await openAccount(core, "registered_free");
  const linked = await linkIdentity(core, { accountId, requestId, identity });
  return linked.ok ? ok({ accountId }) : refused({ reason: "attempt_over" });
}

/** Links an identity to an account. Safe to repeat. */
export async function linkIdentity(
  core: Core,
  { accountId, requestId, identity }: Step & { identity: ProvenIdentity },
): Promise<Result<{ accountId: string }, LinkIdentityRefusal>> {
  const now = core.clock.now();
  const row: Identity = {
    ...identity,
    id: core.random.uuid(now),
    accountId,
    createdAt: now,
    lastUsedAt: null,
  };
  return await core.store.transact(
    async (tx): Promise<Result<{ accountId: string }, LinkIdentityRefusal>> => {
      const known = await tx.identities.find(identity);
      if (known?.accountId === accountId) return ok({ accountId });
      if (known !== null || !(await tx.identities.insert(row))) {
        return refused({ reason: "identity_of_another" });
      }
      const step = { action: "identity_linked", outcome: "ok", method: identity.kind } as const;
      await auditAccount(core, tx, { ...step, accountId, requestId });
      return ok({ accountId });
    },
  );
}

/** Takes an identity from an account. False when the account has no such identity. */
export async function removeIdentity(
  core: Core,
  { accountId, requestId, id }: Step & { id: string },
): Promise<boolean> {
  return await core.store.transact(async (tx) => {
    if (!(await tx.identities.remove({ id, accountId }))) return false;
    await auditAccount(core, tx, { action: "identity_removed", outcome: "ok", accountId, requestId });
    return true;
  });
}

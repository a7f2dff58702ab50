// Identities at other providers: who signs in by one, which person has it, who links and removes one.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Role } from "../../../contract/roles.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import { openAccount } from "../accounts/keys.ts";
import type { Core } from "../core.ts";
import { applyGroupRole } from "../members/group-roles.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { Identity, ProvenIdentity } from "./identity.ts";
import { chosenOf, memberOf, type ProvenMember } from "./proven-member.ts";
import type { LinkIdentityRefusal, SignInRefusal } from "./refusals.ts";
import { GROUP_SESSION_MS, maySignUp } from "./sign-in-policy.ts";

/** `accountId` is for the audit trail: the one that the person is signed in to. */
type Step = { readonly accountId: string; readonly personId: string; readonly requestId: string };

/** The role that the provider's groups give somebody in the account that they lead to. Null: none. */
type ByGroups = { readonly accountId: string; readonly role: Role | null };

type ProvenSignIn = {
  readonly identity: ProvenIdentity;
  /** An address that the provider has verified; null where it has verified none. */
  readonly email: string | null;
  /** Left out: the provider decides no role. */
  readonly byGroups?: ByGroups;
  readonly requestId: string;
};

/**
 * The person of an identity. Where it has none, and its groups give it a role, a new member; where the operator allows it, a new
 * person with an account. An address never leads to an account that is there: only what was linked does, and groups.
 */
export async function signInByIdentity(
  core: Core,
  proven: ProvenSignIn,
): Promise<Result<ProvenMember, SignInRefusal>> {
  const { identity, email, byGroups, requestId } = proven;
  const known = await core.store.committed.identities.find(identity);
  if (known !== null) {
    const { id, personId } = known;
    await core.store.transact(async (tx) => {
      await tx.identities.touch({ id, name: identity.name, now: core.clock.now() });
      if (byGroups !== undefined) await applyGroupRole(core, tx, { ...byGroups, personId, requestId });
    });
    return byGroups === undefined
      ? await memberOf(core, personId)
      : await memberByGroups(core, { personId, byGroups });
  }
  if (byGroups !== undefined && byGroups.role !== null) {
    const personId = await joinByGroups(core, { identity, byGroups, requestId });
    if (personId === null) return refused({ reason: "attempt_over" });
    return await memberByGroups(core, { personId, byGroups });
  }
  if (!maySignUp(core.policy.signIn.signUp, email))
    return refused({ reason: byGroups === undefined ? "sign_up_closed" : "no_group_role" });
  const { id: accountId, ownerId: personId } = await openAccount(core, "registered_free");
  const linked = await linkIdentity(core, { accountId, personId, requestId, identity });
  if (!linked.ok) return refused({ reason: "attempt_over" });
  return byGroups === undefined
    ? ok({ accountId, personId })
    : await memberByGroups(core, { personId, byGroups });
}

/** Makes a person of an identity. Null where it got one meanwhile. */
async function joinByGroups(
  core: Core,
  { identity, byGroups, requestId }: Pick<ProvenSignIn, "identity" | "requestId"> & { byGroups: ByGroups },
): Promise<string | null> {
  const now = core.clock.now();
  const personId = core.random.uuid(now);
  return await core.store.transact(async (tx) => {
    const step = { accountId: byGroups.accountId, personId, requestId, identity };
    if (!(await link(core, tx, step)).ok) return null;
    await tx.people.insert({ id: personId, name: identity.name, createdAt: now });
    await applyGroupRole(core, tx, { ...byGroups, personId, requestId });
    return personId;
  });
}

/** Into the account that groups lead to, or where they lead to none into another of the person's. */
async function memberByGroups(
  core: Core,
  { personId, byGroups }: { readonly personId: string; readonly byGroups: ByGroups },
): Promise<Result<ProvenMember, SignInRefusal>> {
  const memberships = await core.store.committed.people.listMemberships(personId);
  const led = memberships.find(({ accountId }) => accountId === byGroups.accountId) ?? memberships[0];
  if (led === undefined) return refused({ reason: "no_group_role" });
  return ok({ ...chosenOf(memberships, led), endsAt: core.clock.now() + GROUP_SESSION_MS });
}

/** Links an identity to a person. Safe to repeat. */
export async function linkIdentity(
  core: Core,
  linked: Step & { readonly identity: ProvenIdentity },
): Promise<Result<null, LinkIdentityRefusal>> {
  return await core.store.transact((tx) => link(core, tx, linked));
}

async function link(
  core: Core,
  tx: StoreTransaction,
  { accountId, personId, requestId, identity }: Step & { readonly identity: ProvenIdentity },
): Promise<Result<null, LinkIdentityRefusal>> {
  const now = core.clock.now();
  const known = await tx.identities.find(identity);
  if (known?.personId === personId) return ok(null);
  const id = core.random.uuid(now);
  const row: Identity = { ...identity, id, personId, createdAt: now, lastUsedAt: null };
  if (known !== null || !(await tx.identities.insert(row))) return refused({ reason: "identity_of_another" });
  const step = { action: "identity_linked", outcome: "ok", method: identity.kind } as const;
  await auditAccount(core, tx, { ...step, accountId, personId, requestId });
  return ok(null);
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

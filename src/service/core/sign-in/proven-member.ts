// The person who signs in, and the account that they sign in to.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Membership } from "../accounts/person.ts";
import type { Core, Policy } from "../core.ts";
import type { SignInRefusal } from "./refusals.ts";
import { isByGroups } from "./sign-in-policy.ts";

export type ProvenMember = {
  readonly accountId: string;
  readonly personId: string;
  /** Whether they have further accounts, and choose. Left out: they have not. */
  readonly hasChoice?: boolean;
  /** When their session ends at the latest. Left out: it goes on while it is seen. */
  readonly endsAt?: number;
};

type SignInPolicyOf = { readonly policy: Pick<Policy, "signIn"> };

/**
 * The account to which a person signs in first: the one that they have been in longest. One to which groups of a provider lead is
 * for those who come by the provider.
 */
export async function memberOf(
  { store, policy }: Pick<Core, "store"> & SignInPolicyOf,
  personId: string,
): Promise<Result<ProvenMember, SignInRefusal>> {
  const memberships = await store.committed.people.listMemberships(personId);
  const open = memberships.filter((membership) => !isByGroups(policy.signIn, membership));
  const [first] = open;
  if (first !== undefined) return ok(chosenOf(memberships, first));
  return refused({ reason: memberships.length === 0 ? "no_account" : "provider_needed" });
}

export function chosenOf(
  memberships: readonly Membership[],
  { accountId, personId }: Membership,
): ProvenMember {
  return { accountId, personId, ...(memberships.length > 1 ? { hasChoice: true } : {}) };
}

/** Whether somebody who is signed in may go on in this account: groups of a provider lead only those there who came by it. */
export function mayGoOnIn(
  { policy }: SignInPolicyOf,
  membership: Membership,
  { endsAt }: { readonly endsAt: number | null },
): boolean {
  return endsAt !== null || !isByGroups(policy.signIn, membership);
}

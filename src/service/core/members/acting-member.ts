// The person who decides about the people of an account, as they are while the account is locked.

import { ok, type Result, refused } from "../../../base/result.ts";
import { isAtLeast, type Role } from "../../../contract/roles.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import type { AccountPerson } from "../accounts/person.ts";
import type { OwnerNeededRefusal } from "../accounts/refusals.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";

export type MemberRequest = { readonly caller: AccountCaller; readonly requestId: string };

/** Locks the account. Refused for everybody but a person of it in person: an AI client decides nothing about people. */
export async function lockForMember(
  core: Pick<Core, "policy">,
  tx: StoreTransaction,
  { accountId, personId, callerClass }: AccountCaller,
): Promise<Result<AccountPerson, OwnerNeededRefusal>> {
  await tx.accounts.lock(accountId);
  const member =
    personId === null || callerClass !== "owner" ? null : await tx.people.findMember({ accountId, personId });
  return member === null ? refused(personNeeded(core)) : ok(member);
}

export function personNeeded({ policy }: Pick<Core, "policy">): OwnerNeededRefusal {
  return {
    reason: "owner_needed",
    what: "decide who is in the account",
    url: `${policy.webUrl}/settings/members`,
  };
}

/** Whether a person with `actor` may make somebody with `from` one with `to`; null is nobody. */
export function mayChange(actor: Role, { from, to }: { from: Role | null; to: Role | null }): boolean {
  if (actor === "owner") return true;
  return actor === "admin" && [from, to].every((role) => role === null || !isAtLeast(role, "admin"));
}

// People of an account: listed, given another role, removed. Whoever loses what a credential was made with loses the
// credential in the same transaction.
// Why: docs/decisions/154-a-person-is-not-an-account.md

import { ok, type Result, refused } from "../../../base/result.ts";
import { isAtLeast, type Role } from "../../../contract/roles.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import type { AccountCaller } from "../accounts/caller.ts";
import type { AccountPerson } from "../accounts/person.ts";
import type { OwnerNeededRefusal } from "../accounts/refusals.ts";
import type { Core } from "../core.ts";
import { endGrant } from "../oauth/grants.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { lockForMember, type MemberRequest, mayChange, personNeeded } from "./acting-member.ts";
import type { AccountMemberRefusal } from "./refusals.ts";

/** What becomes of somebody's keys: they end, or are the deciding owner's from then on. */
type KeyFate = "end" | "take_over";

type Changed = Result<
  AccountPerson,
  | OwnerNeededRefusal
  | AccountMemberRefusal<"person_not_found" | "rank_exceeded" | "take_over_refused" | "last_owner">
>;
type MemberCore = Pick<Core, "store" | "clock" | "random" | "policy">;

/** The people of an account, the longest there first. */
export async function listAccountMembers(
  core: Pick<Core, "store" | "policy">,
  { accountId, callerClass }: AccountCaller,
): Promise<Result<readonly AccountPerson[], OwnerNeededRefusal>> {
  if (callerClass !== "owner") return refused(personNeeded(core));
  return ok(await core.store.committed.people.listMembers(accountId));
}

type Change = MemberRequest & {
  readonly personId: string;
  /** Left out: as it is. */
  readonly role?: Role | undefined;
  /** What the runs that they start may cost a day. Null: no cap. Left out: as it is. */
  readonly dayCapMicroUsd?: number | null;
  readonly keys: KeyFate;
};

/** Gives a member another role, or another cap a day, as of their next request. Safe to repeat. */
export async function changeAccountMember(core: MemberCore, request: Change): Promise<Changed> {
  return await decide(core, { ...request, to: request.role });
}

/** Removes a member with their sessions, keys and applications in this account. Everybody may remove themselves. */
export async function removeAccountMember(
  core: MemberCore,
  request: MemberRequest & { readonly personId: string; readonly keys: KeyFate },
): Promise<Changed> {
  return await decide(core, { ...request, to: null });
}

type Decision = MemberRequest & {
  readonly personId: string;
  /** Null: none. Undefined: as it is. */
  readonly to: Role | null | undefined;
  readonly dayCapMicroUsd?: number | null;
  readonly keys: KeyFate;
};

async function decide(core: MemberCore, decision: Decision): Promise<Changed> {
  const { caller, personId, keys, requestId } = decision;
  const { accountId } = caller;
  return await core.store.transact(async (tx): Promise<Changed> => {
    const actor = await lockForMember(core, tx, caller);
    if (!actor.ok) return actor;
    const member = await tx.people.findMember({ accountId, personId });
    if (member === null) return refused({ reason: "person_not_found", personId });
    const { role: from } = member;
    const to = decision.to === undefined ? from : decision.to;
    const isSelf = actor.value.personId === personId;
    if (!(isSelf && to === null) && !mayChange(actor.value.role, { from, to }))
      return refused({ reason: "rank_exceeded" });
    if (from !== to) {
      if (from === "owner" && !(await hasAnotherOwner(tx, member))) return refused({ reason: "last_owner" });
      if (keys === "take_over" && (isSelf || actor.value.role !== "owner"))
        return refused({ reason: "take_over_refused" });
    }
    const by = { accountId, personId: actor.value.personId, aboutPersonId: personId, requestId };
    const capped = await cap(core, tx, { member, by, dayCapMicroUsd: decision.dayCapMicroUsd });
    if (from === to) return ok(capped);
    if (to === null) await tx.people.removeMember(member);
    else await tx.people.changeMember({ ...member, role: to });
    await endCredentials(core, tx, { member, to, keysGoTo: keys === "end" ? null : actor.value.personId });
    await auditAccount(core, tx, {
      action: to === null ? "member_removed" : "member_changed",
      outcome: "ok",
      method: to ?? from,
      ...by,
    });
    return ok(to === null ? member : { ...capped, role: to });
  });
}

type Decided = {
  readonly accountId: string;
  readonly personId: string;
  readonly aboutPersonId: string;
  readonly requestId: string;
};

/** The member with the cap that was decided. */
async function cap(
  core: MemberCore,
  tx: StoreTransaction,
  decided: { member: AccountPerson; by: Decided; dayCapMicroUsd: number | null | undefined },
): Promise<AccountPerson> {
  const { member, by, dayCapMicroUsd } = decided;
  const { dayCapMicroUsd: before = null, ...uncapped } = member;
  if (dayCapMicroUsd === undefined || dayCapMicroUsd === before) return member;
  await tx.people.capMember({ ...member, dayCapMicroUsd });
  await auditAccount(core, tx, { action: "member_capped", outcome: "ok", ...by });
  return dayCapMicroUsd === null ? uncapped : { ...uncapped, dayCapMicroUsd };
}

export async function hasAnotherOwner(
  tx: StoreTransaction,
  { accountId, personId }: AccountPerson,
): Promise<boolean> {
  const members = await tx.people.listMembers(accountId);
  return members.some((one) => one.role === "owner" && one.personId !== personId);
}

/** Only an owner has owners' keys, and only an admin invites. Who is removed leaves nothing that works should they come back. */
export async function endCredentials(
  { clock }: Pick<Core, "clock">,
  tx: StoreTransaction,
  { member, to, keysGoTo }: { member: AccountPerson; to: Role | null; keysGoTo: string | null },
): Promise<void> {
  const now = clock.now();
  const { accountId, personId } = member;
  const which = to === null ? "all" : "owner_keys";
  const theirs = { accountId, personId, which } as const;
  if (to === null) {
    // Grants first, as everywhere else: two transactions never wait for each other.
    for (const grant of await tx.oauthGrants.list({ accountId, now }))
      if (grant.personId === personId) await endGrant(tx, { id: grant.id, now });
    await tx.webSessions.deleteOf({ accountId, personId });
  }
  if (to !== "owner") {
    if (keysGoTo !== null) await tx.credentials.giveKeys({ ...theirs, to: keysGoTo });
    await tx.credentials.revokeOfPerson({ ...theirs, now });
  }
  if (to === null || !isAtLeast(to, "admin"))
    await tx.invitations.deleteBy({ accountId, invitedBy: personId });
}

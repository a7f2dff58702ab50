// Roles by groups of a provider: applied each time that somebody signs in there.
// Why: docs/decisions/161-roles-by-groups.md

import type { Role } from "../../../contract/roles.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { endCredentials, hasAnotherOwner } from "./members.ts";

type GroupRole = {
  readonly accountId: string;
  readonly personId: string;
  /** Null: none of their groups gives one. */
  readonly role: Role | null;
  readonly requestId: string;
};

/**
 * Makes the person a member with this role, changes the role, or removes them, as of their next request. A membership that came
 * another way stays as it is: somebody has decided it. So does that of the last owner.
 */
export async function applyGroupRole(
  core: Pick<Core, "clock" | "random">,
  tx: StoreTransaction,
  { accountId, personId, role, requestId }: GroupRole,
): Promise<void> {
  const account = await tx.accounts.lock(accountId);
  if (account === null) throw new Error(`Groups lead to account ${accountId}, which does not exist.`);
  const member = await tx.people.findMember({ accountId, personId });
  if (member === null) {
    if (role === null) return;
    const membership = { accountId, personId, role, source: "groups", addedBy: null } as const;
    await tx.people.addMember({ ...membership, addedAt: core.clock.now() });
    const step = { action: "member_joined", outcome: "ok", method: role } as const;
    return await auditAccount(core, tx, { ...step, accountId, personId, requestId });
  }
  if (member.source !== "groups" || member.role === role) return;
  const isKept = member.role === "owner" && !(await hasAnotherOwner(tx, member));
  if (!isKept) {
    if (role === null) await tx.people.removeMember(member);
    else await tx.people.changeMember({ ...member, role });
    await endCredentials(core, tx, { member, to: role, keysGoTo: null });
  }
  // Nobody of the account has decided it.
  await auditAccount(core, tx, {
    action: role === null ? "member_removed" : "member_changed",
    outcome: isKept ? "last_owner" : "ok",
    method: role ?? member.role,
    accountId,
    personId: null,
    aboutPersonId: personId,
    requestId,
  });
}

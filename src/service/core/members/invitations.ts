// Invitations to an account: a link that works once and for seven days. No address decides who accepts it: the person is who is
// signed in, or a new one.

import { ok, type Result, refused } from "../../../base/result.ts";
import { hashSecret, isWellFormedSecret, makeSecretToken } from "../../../base/secret-token.ts";
import type { Role } from "../../../contract/roles.ts";
import { auditAccount } from "../accounts/audit-account.ts";
import { type AccountCaller, isOwner } from "../accounts/caller.ts";
import type { Membership } from "../accounts/person.ts";
import type { OwnerNeededRefusal } from "../accounts/refusals.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { lockForMember, type MemberRequest, mayChange, personNeeded } from "./acting-member.ts";
import { INVITATION_MS, type Invitation } from "./invitation.ts";
import type { AccountMemberRefusal } from "./refusals.ts";

const INVITATION_PREFIX = "svc_inv_";

type InvitationCore = Pick<Core, "store" | "clock" | "random" | "policy">;
type MadeInvitation = { readonly invitation: Invitation; readonly url: string };

/** Makes an invitation. Its link is returned here, and stored nowhere. */
export async function inviteToAccount(
  core: InvitationCore,
  { caller, role, requestId }: MemberRequest & { readonly role: Role },
): Promise<Result<MadeInvitation, OwnerNeededRefusal | AccountMemberRefusal<"rank_exceeded">>> {
  const now = core.clock.now();
  const { accountId } = caller;
  const { text, hash } = makeSecretToken(INVITATION_PREFIX, core.random.bytes(32));
  const id = core.random.uuid(now);
  return await core.store.transact(async (tx) => {
    const actor = await lockForMember(core, tx, caller);
    if (!actor.ok) return actor;
    const { personId } = actor.value;
    if (!mayChange(actor.value.role, { from: null, to: role })) return refused({ reason: "rank_exceeded" });
    const dates = { createdAt: now, expiresAt: now + INVITATION_MS };
    const invitation: Invitation = { id, hash, accountId, role, invitedBy: personId, ...dates };
    await tx.invitations.insert(invitation);
    const step = {
      action: "member_invited",
      outcome: "ok",
      method: role,
      accountId,
      personId,
      requestId,
    } as const;
    await auditAccount(core, tx, step);
    return ok({ invitation, url: `${core.policy.webUrl}/invitation/${text}` });
  });
}

/** Those that nobody has accepted, oldest first. */
export async function listInvitations(
  core: Pick<Core, "store" | "clock" | "policy">,
  caller: AccountCaller,
): Promise<Result<readonly Invitation[], OwnerNeededRefusal>> {
  if (!isOwner(caller)) return refused(personNeeded(core));
  const query = { accountId: caller.accountId, now: core.clock.now() };
  return ok(await core.store.committed.invitations.list(query));
}

/** Makes an invitation worth nothing. */
export async function withdrawInvitation(
  core: InvitationCore,
  { caller, id, requestId }: MemberRequest & { readonly id: string },
): Promise<Result<null, OwnerNeededRefusal | AccountMemberRefusal<"invitation_not_found">>> {
  if (!isOwner(caller)) return refused(personNeeded(core));
  const { accountId, personId } = caller;
  return await core.store.transact(async (tx) => {
    if (!(await tx.invitations.delete({ accountId, id }))) return refused({ reason: "invitation_not_found" });
    await auditAccount(core, tx, {
      action: "invitation_withdrawn",
      outcome: "ok",
      accountId,
      personId,
      requestId,
    });
    return ok(null);
  });
}

/** What a link invites to. Uses nothing up: scanners of mail open every link. Null where it does nothing. */
export async function describeInvitation(
  core: Pick<Core, "store" | "clock">,
  token: string,
): Promise<Invitation | null> {
  const invitation = await core.store.committed.invitations.find(hashOf(token));
  return invitation === null || invitation.expiresAt <= core.clock.now() ? null : invitation;
}

type Accepted = Result<
  Membership,
  OwnerNeededRefusal | AccountMemberRefusal<"invitation_not_found" | "already_member">
>;
type Acceptance = { readonly token: string; readonly requestId: string };

/** Makes the person who asks, in person, a member of the account that the link is for. */
export async function acceptInvitation(
  core: InvitationCore,
  { caller, token, requestId }: Acceptance & { readonly caller: AccountCaller },
): Promise<Accepted> {
  const { personId, callerClass } = caller;
  if (personId === null || callerClass !== "owner") return refused(personNeeded(core));
  return await core.store.transact((tx) => join(core, tx, { token, personId, requestId }));
}

/** The same for somebody who is nobody here so far. */
export async function acceptAsNewPerson(
  core: InvitationCore,
  { token, name, requestId }: Acceptance & { readonly name: string },
): Promise<Accepted> {
  const now = core.clock.now();
  const personId = core.random.uuid(now);
  return await core.store.transact(async (tx) => {
    const joined = await join(core, tx, { token, personId, requestId });
    if (joined.ok) await tx.people.insert({ id: personId, name, createdAt: now });
    return joined;
  });
}

async function join(
  core: InvitationCore,
  tx: StoreTransaction,
  { token, personId, requestId }: Acceptance & { readonly personId: string },
): Promise<Accepted> {
  const now = core.clock.now();
  const hash = hashOf(token);
  const found = await tx.invitations.find(hash);
  if (found === null) return refused({ reason: "invitation_not_found" });
  // The account first, as whoever removes or demotes the inviter does.
  const { accountId } = found;
  await tx.accounts.lock(accountId);
  // A link that somebody opens who is there already stays good for whom it was made.
  if ((await tx.people.findMember({ accountId, personId })) !== null)
    return refused({ reason: "already_member" });
  const taken = await tx.invitations.take({ hash, now });
  if (taken === null) return refused({ reason: "invitation_not_found" });
  const { role, invitedBy } = taken;
  const membership: Membership = {
    accountId,
    personId,
    role,
    source: "invited",
    addedBy: invitedBy,
    addedAt: now,
  };
  await tx.people.addMember(membership);
  const step = {
    action: "member_joined",
    outcome: "ok",
    method: role,
    accountId,
    personId,
    requestId,
  } as const;
  await auditAccount(core, tx, step);
  return ok(membership);
}

/** A malformed token has a hash, too, which no invitation has. */
function hashOf(token: string): string {
  return isWellFormedSecret(INVITATION_PREFIX, token) ? hashSecret(token) : "";
}

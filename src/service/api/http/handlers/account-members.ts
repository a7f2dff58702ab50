// /v1/account/members and /v1/account/invitations.

import { ok } from "../../../../base/result.ts";
import type {
  AccountMember,
  accountMemberRoutes,
  InvitationView,
  invitationRoutes,
} from "../../../../contract/account-members.ts";
import type { AccountPerson } from "../../../core/accounts/person.ts";
import type { Core } from "../../../core/core.ts";
import type { Invitation } from "../../../core/members/invitation.ts";
import {
  acceptInvitation,
  inviteToAccount,
  listInvitations,
  withdrawInvitation,
} from "../../../core/members/invitations.ts";
import {
  changeAccountMember,
  listAccountMembers,
  removeAccountMember,
} from "../../../core/members/members.ts";
import { type NounHandlers, shown } from "../handler.ts";

export function accountMemberHandlers(core: Core): NounHandlers<typeof accountMemberRoutes> {
  return {
    list: async ({ caller }) =>
      shown(await listAccountMembers(core, caller), (members) => members.map(toMember)),
    update: async ({ caller, params: { personID: personId }, body, requestId }) => {
      const { max_usd_per_day: usd, ...change } = body;
      const cap = usd === undefined ? {} : { dayCapMicroUsd: usd === null ? null : microUsdOf(usd) };
      return shown(
        await changeAccountMember(core, { caller, personId, ...change, ...cap, requestId }),
        toMember,
      );
    },
    remove: async ({ caller, params: { personID: personId }, query, requestId }) =>
      shown(await removeAccountMember(core, { caller, personId, ...query, requestId }), toMember),
  };
}

export function invitationHandlers(core: Core): NounHandlers<typeof invitationRoutes> {
  return {
    create: async ({ caller, body, requestId }) =>
      shown(await inviteToAccount(core, { caller, ...body, requestId }), ({ invitation, url }) => ({
        ...toInvitation(invitation),
        url,
      })),
    list: async ({ caller }) =>
      shown(await listInvitations(core, caller), (invitations) => invitations.map(toInvitation)),
    withdraw: async ({ caller, params, requestId }) => {
      const withdrawn = await withdrawInvitation(core, { caller, id: params.invitationID, requestId });
      return withdrawn.ok ? ok({ body: null }) : withdrawn;
    },
    accept: async ({ caller, body: { token }, requestId }) =>
      shown(await acceptInvitation(core, { caller, token, requestId }), ({ accountId, personId, role }) => ({
        account_id: accountId,
        person_id: personId,
        role,
      })),
  };
}

function toMember({
  personId,
  name,
  role,
  addedAt,
  addedBy,
  source,
  dayCapMicroUsd,
}: AccountPerson): AccountMember {
  return {
    person_id: personId,
    name,
    role,
    added_at: new Date(addedAt).toISOString(),
    added_by: addedBy,
    source,
    max_usd_per_day: dayCapMicroUsd === undefined ? null : dayCapMicroUsd / MICRO_PER_USD,
  };
}

const MICRO_PER_USD = 1_000_000;

function microUsdOf(usd: number): number {
  return Math.round(usd * MICRO_PER_USD);
}

function toInvitation({ id, role, invitedBy, createdAt, expiresAt }: Invitation): InvitationView {
  return {
    id,
    role,
    invited_by: invitedBy,
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
}

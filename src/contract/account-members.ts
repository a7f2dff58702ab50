// People in an account: who is a member, as what, and who is invited. Pure.

import * as z from "zod/mini";
import { usdPerDaySchema } from "./agents/ci-policy.ts";
import { type Components, component } from "./component.ts";
import type { ExamplesOf } from "./examples.ts";
import { field, object, strictObject } from "./field.ts";
import { roles } from "./roles.ts";
import { defineRoute, jsonBody, nounRoutes, owners, query } from "./route.ts";
import { ACCOUNT_ID } from "./story.ts";

export const roleSchema = z.enum(roles);

export const accountMemberSchema = object({
  person_id: field(z.uuid(), "The person's id."),
  name: field(z.string(), "What others know them by. Empty where nobody has said it."),
  role: field(roleSchema, "What they may do: `viewer`, `member`, `admin` or `owner`."),
  added_at: field(z.iso.datetime(), "When they became a member."),
  added_by: field(z.nullable(z.uuid()), "Who invited them. Null where nobody did."),
  source: field(
    z.enum(["opened", "invited", "groups"]),
    "How they became one: `opened` the account, `invited`, or by `groups` of the OpenID provider, which decide their role at each sign-in.",
  ),
  max_usd_per_day: field(
    z.nullable(z.number()),
    "What the runs that they start may cost a day (UTC), in US dollars. Null: no cap of theirs.",
  ),
});
export type AccountMember = z.infer<typeof accountMemberSchema>;

export const accountMemberListSchema = z.array(accountMemberSchema);

/** What becomes of a person's keys. */
export const keyFateSchema = z.enum(["end", "take_over"]);

const KEYS_TEXT =
  "What becomes of the person's keys: `end` ends them, `take_over` makes them those of the owner who asks.";

export const updateAccountMemberRequestSchema = strictObject({
  role: field(z.optional(roleSchema), "What they may do from now on. Left out: as it is."),
  max_usd_per_day: field(
    z.optional(z.nullable(usdPerDaySchema)),
    "What the runs that they start may cost a day (UTC), in US dollars, by the service's prices or the published ones: on pages, by their keys and applications, and by schedules that they make. A run reserves its `max_cost_usd`, or a quarter of the cap, within what is left, and is held to that. Beyond it a submission is answered 402, `day_cap_reached`. Null: no cap. Left out: as it is.",
  ),
  keys: field(
    z._default(keyFateSchema, "end"),
    `${KEYS_TEXT} Only owners' keys of somebody who is no owner any more.`,
  ),
});

export const removeAccountMemberQuerySchema = strictObject({
  keys: field(z._default(keyFateSchema, "end"), KEYS_TEXT),
});

export const invitationSchema = object({
  id: field(z.uuid(), "The invitation's id."),
  role: field(roleSchema, "What whoever accepts it becomes."),
  invited_by: field(z.uuid(), "Who made it."),
  created_at: field(z.iso.datetime(), "When it was made."),
  expires_at: field(z.iso.datetime(), "When it ends."),
});
export type InvitationView = z.infer<typeof invitationSchema>;

export const invitationListSchema = z.array(invitationSchema);

export const madeInvitationSchema = object({
  ...invitationSchema.shape,
  url: field(z.url(), "The page on which it is accepted, once. Shown here, and stored nowhere."),
});

export const createInvitationRequestSchema = strictObject({
  role: field(
    roleSchema,
    "What whoever accepts it becomes. An admin invites members and viewers, an owner everybody.",
  ),
});

const MAX_TOKEN_CHARS = 200;

export const acceptInvitationRequestSchema = strictObject({
  token: field(z.string().check(z.minLength(1), z.maxLength(MAX_TOKEN_CHARS)), "The last part of the link."),
});

export const acceptedInvitationSchema = object({
  account_id: field(z.uuid(), "The account."),
  person_id: field(z.uuid(), "The person who is its member now: whose key was used."),
  role: field(roleSchema, "What they are there."),
});

export const accountMemberComponents: Components = {
  AccountMember: component(accountMemberSchema, "A person in the account."),
  AccountMemberList: component(
    accountMemberListSchema,
    "The people in the account, the longest there first.",
  ),
  UpdateAccountMemberRequest: component(
    updateAccountMemberRequestSchema,
    "A change of a member's role, or of their cap a day.",
  ),
  Invitation: component(invitationSchema, "An invitation that nobody has accepted."),
  InvitationList: component(invitationListSchema, "Invitations, oldest first."),
  MadeInvitation: component(madeInvitationSchema, "A new invitation, with its link."),
  CreateInvitationRequest: component(createInvitationRequestSchema, "An invitation."),
  AcceptInvitationRequest: component(acceptInvitationRequestSchema, "The acceptance of an invitation."),
  AcceptedInvitation: component(acceptedInvitationSchema, "Where somebody is a member now."),
};

const MAX_BODY_BYTES = 4 * 1024;

export const accountMemberRoutes = nounRoutes("accountMembers", "People", {
  list: defineRoute("GET /v1/account/members", {
    callers: owners,
    role: "viewer",
    repeat: "safe",
    answer: accountMemberListSchema,
    summary: "List the people in the account",
    answers: { 200: "The people, the longest there first." },
  }),
  update: defineRoute("PATCH /v1/account/members/{personID}", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: accountMemberSchema,
    summary: "Change the role, or the cap a day, of a person in the account",
    description:
      "Counts from the next request on, of their sessions, keys and applications. An admin changes members and viewers only. The last owner stays one.",
    body: jsonBody(updateAccountMemberRequestSchema, MAX_BODY_BYTES),
    answers: { 200: "The member as it is now." },
    refusals: [409],
  }),
  remove: defineRoute("DELETE /v1/account/members/{personID}", {
    callers: owners,
    role: "viewer",
    repeat: "safe",
    answer: accountMemberSchema,
    summary: "Remove a person from the account, or leave it",
    description:
      "Ends their sessions, keys and applications there at once. Everybody may leave; an admin removes members and viewers, an owner everybody. The last owner stays.",
    query: query(removeAccountMemberQuerySchema),
    answers: { 200: "The member as it was." },
    refusals: [409],
  }),
});

export const invitationRoutes = nounRoutes("invitations", "People", {
  create: defineRoute("POST /v1/account/invitations", {
    callers: owners,
    role: "admin",
    repeat: "once",
    answer: madeInvitationSchema,
    summary: "Invite somebody to the account",
    description:
      "The link works once, for seven days. Whoever has it may accept it: hand it to the person alone.",
    body: jsonBody(createInvitationRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The invitation, with its link." },
  }),
  list: defineRoute("GET /v1/account/invitations", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: invitationListSchema,
    summary: "List the invitations that nobody has accepted",
    answers: { 200: "The invitations, oldest first." },
  }),
  withdraw: defineRoute("DELETE /v1/account/invitations/{invitationID}", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: "nothing",
    summary: "Withdraw an invitation",
    answers: { 204: "It is worth nothing now." },
  }),
  accept: defineRoute("POST /v1/account/invitations/accept", {
    callers: owners,
    role: "viewer",
    repeat: "once",
    answer: acceptedInvitationSchema,
    summary: "Accept an invitation to another account",
    description: "As the person whose key it is. People without one accept on the page of the link.",
    body: jsonBody(acceptInvitationRequestSchema, MAX_BODY_BYTES),
    answers: { 200: "The account of which the person is a member now." },
    refusals: [404, 409],
  }),
});

const member = {
  person_id: "01890000-0000-7000-8000-0000000000a1",
  name: "Ada",
  role: "member" as const,
  added_at: "2026-03-09T10:06:30.000Z",
  added_by: "01890000-0000-7000-8000-0000000000a0",
  source: "invited" as const,
  max_usd_per_day: null,
};
const invitation = {
  id: "01890000-0000-7000-8000-0000000000b1",
  role: "member" as const,
  invited_by: "01890000-0000-7000-8000-0000000000a0",
  created_at: "2026-03-09T10:06:30.000Z",
  expires_at: "2026-03-16T10:06:30.000Z",
};
const link = { url: "https://agent-service.example/invitation/svc_inv_TheSecretOfTheLink" };

export const accountMemberExamples: ExamplesOf<typeof accountMemberRoutes> = {
  list: { answers: { 200: { members: { summary: "One person", value: [member] } } } },
  update: {
    body: {
      becomesViewer: { summary: "A viewer from now on", value: { role: "viewer", keys: "end" } },
      capped: { summary: "Five dollars a day", value: { max_usd_per_day: 5, keys: "end" } },
    },
    answers: { 200: { viewer: { summary: "Changed", value: { ...member, role: "viewer" } } } },
  },
  remove: { answers: { 200: { removed: { summary: "Removed", value: member } } } },
};

export const invitationExamples: ExamplesOf<typeof invitationRoutes> = {
  create: {
    body: { inviteMember: { summary: "A member", value: { role: "member" } } },
    answers: { 201: { invited: { summary: "Invited", value: { ...invitation, ...link } } } },
  },
  withdraw: {},
  list: { answers: { 200: { invitations: { summary: "One waits", value: [invitation] } } } },
  accept: {
    body: {
      acceptInvitation: { summary: "The token of the link", value: { token: "svc_inv_TheSecretOfTheLink" } },
    },
    answers: {
      200: {
        accepted: {
          summary: "A member now",
          value: { account_id: ACCOUNT_ID, person_id: member.person_id, role: "member" },
        },
      },
    },
  },
};

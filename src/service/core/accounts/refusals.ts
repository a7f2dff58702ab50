// Refusals of a credential, a caller class or a change of plan, and their problems. Pure.

import type { TokenScope } from "../../../contract/oauth/scopes.ts";
import type { Role } from "../../../contract/roles.ts";
import {
  forbidden,
  isoTime,
  type ProblemTable,
  type PublicProblem,
  type RefusalOf,
} from "../ports/problem.ts";

/** For the operator alone: no route answers it. */
export type PlanRefusal =
  | { readonly reason: "account_not_found"; readonly accountId: string }
  | { readonly reason: "sku_unknown"; readonly sku: string }
  | { readonly reason: "plan_not_subscribed"; readonly accountId: string };

const credentialProblems = {
  credential_missing: () => unauthorized("No credential. Send the header Authorization: Bearer <token>."),
  credential_malformed: () =>
    unauthorized("The bearer credential is not one of this service: its form or its checksum is wrong."),
  credential_unknown: () => unauthorized("The bearer credential is not known to this service."),
  key_revoked: () => unauthorized("The API key was revoked. Use another key of the account."),
  access_token_revoked: () =>
    unauthorized(
      "The access token was revoked, by the account's owner or by its application. Sign in again.",
    ),
  access_token_expired: ({ expiredAt }: { expiredAt: number }) =>
    unauthorized(`The access token ended at ${isoTime(expiredAt)}. Refresh it, or sign in again.`),
  membership_ended: () =>
    unauthorized("Whoever this credential acts for is no member of its account any more."),
  capability_revoked: () => unauthorized("The capability was revoked. Exchange a fresh token for a new one."),
  capability_expired: ({ expiredAt }: { expiredAt: number }) =>
    unauthorized(`The capability ended at ${isoTime(expiredAt)}. Exchange a fresh token for a new one.`),
} satisfies ProblemTable;

export const accountProblems = {
  ...credentialProblems,
  capability_needed: () => forbidden("This route takes a CI job's capability, not an account's key."),
  account_needed: () => forbidden("This route takes an account's key, not a CI job's capability."),
  scope_needed: ({ needed }: { needed: readonly TokenScope[] }) => ({
    status: 403,
    code: "insufficient_scope",
    message: `The access token is not good for this: it needs the scopes ${needed.join(" ")}. Ask for them in the application's sign-in.`,
    headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${needed.join(" ")}"` },
  }),
  role_needed: ({ needed, role }: { needed: Role; role: Role }) => ({
    status: 403,
    code: "role_needed",
    message: `The role "${role}" in this account may not do this: it needs "${needed}". An owner or an admin of the account changes roles.`,
  }),
  link_reads_one_run: () => forbidden("This link reads one run. Subscribe to that run with it."),
  owner_needed: ({
    what,
    url,
    approveUrl,
  }: {
    what: string;
    url: string;
    /** The address where the owner approves this very request. Absent where nothing waits for that. */
    approveUrl?: string;
  }) => ({
    status: 403,
    code: "owner_needed",
    message: `Only the owner in person may ${what}. Open ${url}`,
    ...(approveUrl === undefined ? {} : { fields: { approve_url: approveUrl } }),
  }),
  credits_of_another: () =>
    forbidden("An account's credits are shown to that account alone, and this credential is another's."),
} satisfies ProblemTable;

export type AuthRefusal = RefusalOf<typeof credentialProblems>;

/** An access token that is not good for an operation, and all the scopes that the operation needs. */
export type ScopeRefusal = RefusalOf<typeof accountProblems, "scope_needed">;

/** A person whose role is less than what an operation needs. */
export type RoleRefusal = RefusalOf<typeof accountProblems, "role_needed">;

/** Refusals of acts that the caller's class may not do. */
export type ClassRefusal = RefusalOf<
  typeof accountProblems,
  "capability_needed" | "account_needed" | "link_reads_one_run" | "owner_needed"
>;

/** Only the owner in person does this: `url` is where. */
export type OwnerNeededRefusal = RefusalOf<typeof accountProblems, "owner_needed">;

/** An account's credits are shown to that account alone. */
export type CreditsRefusal = RefusalOf<typeof accountProblems, "credits_of_another">;

function unauthorized(message: string): PublicProblem {
  return { status: 401, code: "unauthorized", message, headers: { "WWW-Authenticate": "Bearer" } };
}

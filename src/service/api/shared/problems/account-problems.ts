// What a caller is told of its credential and its class. Pure.

import type { AuthRefusal, ClassRefusal, ScopeRefusal } from "../../../core/accounts/refusals.ts";
import { forbidden, isoTime, type ProblemsOf, type PublicProblem } from "./public-problem.ts";

export const accountProblems: ProblemsOf<AuthRefusal | ClassRefusal | ScopeRefusal> = {
  credential_missing: () => unauthorized("No credential. Send the header Authorization: Bearer <token>."),
  credential_malformed: () =>
    unauthorized("The bearer credential is not one of this service: its form or its checksum is wrong."),
  credential_unknown: () => unauthorized("The bearer credential is not known to this service."),
  key_revoked: () => unauthorized("The API key was revoked. Use another key of the account."),
  access_token_revoked: () =>
    unauthorized(
      "The access token was revoked, by the account's owner or by its application. Sign in again.",
    ),
  access_token_expired: ({ expiredAt }) =>
    unauthorized(`The access token ended at ${isoTime(expiredAt)}. Refresh it, or sign in again.`),
  capability_revoked: () => unauthorized("The capability was revoked. Exchange a fresh token for a new one."),
  capability_expired: ({ expiredAt }) =>
    unauthorized(`The capability ended at ${isoTime(expiredAt)}. Exchange a fresh token for a new one.`),
  capability_needed: () => forbidden("This route takes a CI job's capability, not an account's key."),
  account_needed: () => forbidden("This route takes an account's key, not a CI job's capability."),
  scope_needed: ({ needed }) => ({
    status: 403,
    code: "insufficient_scope",
    message: `The access token is not good for this: it needs the scopes ${needed.join(" ")}. Ask for them in the application's sign-in.`,
    headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${needed.join(" ")}"` },
  }),
  link_reads_one_run: () => forbidden("This link reads one run. Subscribe to that run with it."),
  owner_needed: ({ what, url, approveUrl }) => ({
    status: 403,
    code: "owner_needed",
    message: `Only the owner in person may ${what}. Open ${url}`,
    ...(approveUrl === undefined ? {} : { fields: { approve_url: approveUrl } }),
  }),
};

function unauthorized(message: string): PublicProblem {
  return { status: 401, code: "unauthorized", message, headers: { "WWW-Authenticate": "Bearer" } };
}

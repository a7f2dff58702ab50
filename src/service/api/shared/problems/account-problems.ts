// What a caller is told of its credential and its class. Pure.

import type { AuthRefusal, ClassRefusal } from "../../../core/accounts/refusals.ts";
import { forbidden, isoTime, type ProblemsOf, type PublicProblem } from "./public-problem.ts";

export const accountProblems: ProblemsOf<AuthRefusal | ClassRefusal> = {
  credential_missing: () => unauthorized("No credential. Send the header Authorization: Bearer <token>."),
  credential_malformed: () =>
    unauthorized("The bearer credential is not one of this service: its form or its checksum is wrong."),
  credential_unknown: () => unauthorized("The bearer credential is not known to this service."),
  key_revoked: () => unauthorized("The API key was revoked. Use another key of the account."),
  capability_revoked: () => unauthorized("The capability was revoked. Exchange a fresh token for a new one."),
  capability_expired: ({ expiredAt }) =>
    unauthorized(`The capability ended at ${isoTime(expiredAt)}. Exchange a fresh token for a new one.`),
  capability_needed: () => forbidden("This route takes a CI job's capability, not an account's key."),
  account_needed: () => forbidden("This route takes an account's key, not a CI job's capability."),
  owner_needed: ({ what, url }) => ({
    status: 403,
    code: "owner_needed",
    message: `Only the owner in person may ${what}. Open ${url}`,
  }),
};

function unauthorized(message: string): PublicProblem {
  return { status: 401, code: "unauthorized", message, headers: { "WWW-Authenticate": "Bearer" } };
}

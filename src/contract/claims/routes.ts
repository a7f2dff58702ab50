// The routes of claims. Pure.

import { defineRoute, jsonBody, nounRoutes, owners } from "../route.ts";
import { claimRequestSchema, claimResponseSchema } from "./claim.ts";

const MAX_BODY_BYTES = 4 * 1024;

export const claimRoutes = nounRoutes("claims", "CI jobs", {
  create: defineRoute("POST /v1/ci/claim", {
    callers: owners,
    repeat: "safe",
    answer: claimResponseSchema,
    summary: "Claim a repository's agent, to pay for it and own it",
    description:
      "Only the owner may. The claim is pending until a job of the repository that only a writer can start names the account in its exchange. Safe to repeat with the same account.",
    body: jsonBody(claimRequestSchema, MAX_BODY_BYTES),
    cacheControl: "no-store",
    answers: { 200: "The agent is this account's.", 202: "The claim waits for a job of the repository." },
    refusals: [404, 409],
  }),
});

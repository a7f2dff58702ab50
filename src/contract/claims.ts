// POST /v1/ci/claim: an account asks for a repository's agent. Pure.

import * as z from "zod/mini";
import { ciRepositorySchema } from "./ci/exchange.ts";
import { type Components, component } from "./component.ts";
import type { ExamplesOf } from "./examples.ts";
import { field, object, strictObject } from "./field.ts";
import { defineRoute, jsonBody, nounRoutes, owners } from "./route.ts";
import { AGENT_ID, repository } from "./story.ts";

const MAX_CLAIM_CHARS = 255;

/** `claim` is the last part of a claim URL. */
export const claimRequestSchema = strictObject({
  claim: field(
    z.string().check(z.minLength(1), z.maxLength(MAX_CLAIM_CHARS)),
    "The last part of a claim URL.",
  ),
});

/** "pending" until a job of the repository names the account. */
const claimStatuses = ["pending", "claimed"] as const;

export const claimResponseSchema = object({
  repository: field(ciRepositorySchema, "The repository whose agent is claimed."),
  agent_id: field(z.uuid(), "The repository's agent."),
  status: field(z.enum(claimStatuses), "`pending` until a job of the repository names the account."),
  expires_at: field(
    z.nullable(z.iso.datetime()),
    "Until when the repository can accept the claim; null once it is claimed.",
  ),
});

/** The state of a claim: `pending` until a job of the repository names the account. */
export type ClaimResponse = z.infer<typeof claimResponseSchema>;

export const claimComponents: Components = {
  ClaimRequest: component(claimRequestSchema, "A claim link's token."),
  ClaimResponse: component(claimResponseSchema, "How the claim stands."),
};

const MAX_BODY_BYTES = 4 * 1024;

export const claimRoutes = nounRoutes("claims", "CI jobs", {
  create: defineRoute("POST /v1/ci/claim", {
    callers: owners,
    role: "admin",
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

export const claimExamples: ExamplesOf<typeof claimRoutes> = {
  create: {
    body: { claimRepository: { summary: "The last part of a claim link", value: { claim: "svc_claim_…" } } },
    answers: {
      200: {
        claimAccepted: {
          summary: "The agent is this account's",
          value: { repository, agent_id: AGENT_ID, status: "claimed", expires_at: null },
        },
      },
      202: {
        claimPending: {
          summary: "The repository has not accepted it yet",
          value: {
            repository,
            agent_id: AGENT_ID,
            status: "pending",
            expires_at: "2026-03-16T10:00:00.000Z",
          },
        },
      },
    },
  },
};

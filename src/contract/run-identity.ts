// The identity of a run towards others: ID tokens of this service for audiences that the agent's owner has granted. Pure.

import * as z from "zod/mini";
import { type Components, component } from "./component.ts";
import type { ExamplesOf } from "./examples.ts";
import { field, object, strictObject } from "./field.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, owners } from "./route.ts";

export const MAX_AUDIENCE_CHARS = 255;
export const MAX_AUDIENCES = 20;
const MAX_BODY_BYTES = 16 * 1024;

/** Visible characters: an address or a name. AWS takes 255 of them. */
export const audienceSchema = z
  .string()
  .check(z.minLength(1), z.maxLength(MAX_AUDIENCE_CHARS), z.regex(/^[!-~]+$/));

const allowsUntrusted =
  "Whether a run gets such tokens, too, in which others than the repository's writers can have a say.";

export const audienceGrantSchema = object({
  audience: field(z.string(), "Whom the tokens are for, such as `sts.amazonaws.com`."),
  allows_untrusted: field(z.boolean(), allowsUntrusted),
  granted_at: field(z.iso.datetime(), "When its owner granted it."),
});
/** A standing permission for an agent's runs to get ID tokens for an audience. */
export type AudienceGrant = z.infer<typeof audienceGrantSchema>;

export const audienceGrantListSchema = z.array(audienceGrantSchema);

export const audiencesRequestSchema = strictObject({
  audiences: field(
    z
      .array(
        strictObject({
          audience: field(audienceSchema, "Whom the tokens are for."),
          allows_untrusted: field(z.optional(z.boolean()), `${allowsUntrusted} Left out: no.`),
        }),
      )
      .check(z.maxLength(MAX_AUDIENCES)),
    "All audiences of the agent, each once. Those that are not named end.",
  ),
});

export const idTokenRequestSchema = strictObject({
  audience: field(audienceSchema, "Whom the token is for. The agent's owner must have granted it."),
});

export const idTokenSchema = object({
  token: field(z.string(), "The token, a JWT in compact form."),
  expires_at: field(z.iso.datetime(), "When it ends."),
});
export type IdToken = z.infer<typeof idTokenSchema>;

export const runIdentityComponents: Components = {
  AudienceGrant: component(audienceGrantSchema, "An agent's runs may get ID tokens for this audience."),
  AudienceGrantList: component(audienceGrantListSchema, "Audience grants, by audience."),
  AudiencesRequest: component(audiencesRequestSchema, "All audiences of an agent."),
  IdTokenRequest: component(idTokenRequestSchema, "A request for an ID token of a run."),
  IdToken: component(idTokenSchema, "An ID token of a run."),
};

export const runIdentityRoutes = nounRoutes("runIdentity", "Approvals", {
  list: defineRoute("GET /v1/agents/{agentID}/audiences", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: audienceGrantListSchema,
    summary: "List the audiences of an agent's ID tokens",
    scopes: ["agents:read"],
    answers: { 200: "The grants." },
  }),
  put: defineRoute("PUT /v1/agents/{agentID}/audiences", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: audienceGrantListSchema,
    body: jsonBody(audiencesRequestSchema, MAX_BODY_BYTES),
    summary: "Set the audiences of an agent's ID tokens",
    description: "Only the owner may: an AI client gets 403. Counts from the next token on.",
    answers: { 200: "All grants of the agent." },
  }),
  mint: defineRoute("POST /v1/runs/{runID}/id-token", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: idTokenSchema,
    body: jsonBody(idTokenRequestSchema, MAX_BODY_BYTES),
    summary: "Get an ID token of a run that is at work",
    description:
      "Signed by this service, as the issuer `/id` below its address, for an audience that the agent's owner has granted. It lives for five minutes, and every one is in the audit trail.",
    answers: { 200: "The token." },
    refusals: [409],
  }),
});

const grant = {
  audience: "sts.amazonaws.com",
  allows_untrusted: false,
  granted_at: "2026-03-09T10:06:30.000Z",
};

export const runIdentityExamples: ExamplesOf<typeof runIdentityRoutes> = {
  list: { answers: { 200: { audiences: { summary: "One audience", value: [grant] } } } },
  put: {
    body: { audiencesPut: { summary: "One audience", value: { audiences: [{ audience: grant.audience }] } } },
    answers: { 200: { audiencesLeft: { summary: "Granted", value: [grant] } } },
  },
  mint: {
    body: { idTokenRequest: { summary: "For AWS", value: { audience: grant.audience } } },
    answers: {
      200: {
        idToken: {
          summary: "A token",
          value: { token: "eyJhbGciOiJSUzI1NiIs…", expires_at: "2026-03-09T10:11:30.000Z" },
        },
      },
    },
  },
};

// POST, DELETE /v1/ci/oidc/exchange, GET /v1/ci/oidc/audience and GET /v1/ci/identity. Pure.
// Field names are those of OAuth 2.0 Token Exchange, RFC 8693.

import * as z from "zod/mini";
import { audiences } from "../problems/problem.ts";

export const ID_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:id_token";
export const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
export const TOKEN_EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
export const CAPABILITY_PREFIX = "svc_ci_";
export const CAPABILITY_SCOPE = "ci:run";

export const visibilities = ["public", "private", "internal"] as const;
export type Visibility = (typeof visibilities)[number];

export const exchangeRequestSchema = z.object({
  /** A missing token is a refusal with a reason of its own, not one wrong field among others. */
  subject_token: z.optional(z.string()),
  subject_token_type: z.optional(z.string()),
  grant_type: z.optional(z.string()),
  /** The account that a job of the repository names to accept a pending claim. */
  account: z.optional(z.string().check(z.minLength(1), z.maxLength(255))),
  /**
   * "always": `claim_url` is set wherever the agent can be claimed, not only where its next run needs an account. Why:
   * docs/decisions/127-a-claim-link-at-any-time.md
   */
  claim_link: z.optional(z.enum(["always"])),
  /** The commit that the job runs on. Read only where the provider's token names none. */
  sha: z.optional(z.string().check(z.maxLength(64))),
  /** The repository's default branch, without `refs/heads/`. No token names it. */
  default_branch: z.optional(z.string().check(z.maxLength(255))),
});

/**
 * What the job's `account` came to: "claimed", it owns the agent, maybe since now; "refused_event", its claim waits, but
 * not for a job of this event; "none", it has no claim here. Without `account`: "pending" while a claim waits.
 */
export const claimOutcomes = ["none", "pending", "claimed", "refused_event"] as const;
export type ClaimOutcome = (typeof claimOutcomes)[number];

export type ExchangeRequest = z.infer<typeof exchangeRequestSchema>;

export const ciRepositorySchema = z.object({
  provider: z.string(),
  /** The provider's numeric id: it survives a rename and is not reused with the name. */
  id: z.string(),
  owner_id: z.string(),
  /** `owner/name` at the time of the token. A label, never a key. */
  name: z.string(),
  visibility: z.enum(visibilities),
});

export const quotaSchema = z.object({
  audience: z.enum(audiences),
  credits_remaining: z.int(),
  resets_at: z.iso.datetime(),
});

export const exchangeResponseSchema = z.object({
  access_token: z.string(),
  issued_token_type: z.string(),
  token_type: z.literal("Bearer"),
  /** Seconds. */
  expires_in: z.int(),
  scope: z.string(),
  agent_id: z.uuid(),
  repository: ciRepositorySchema,
  quota: quotaSchema,
  claim_url: z.nullable(z.string()),
  claim: z.optional(z.enum(claimOutcomes)),
});

export type ExchangeResponse = z.infer<typeof exchangeResponseSchema>;

export const audienceResponseSchema = z.object({ audience: z.string() });
export type AudienceResponse = z.infer<typeof audienceResponseSchema>;

/** "pending": an account has asked for the repository's agent, and a job of the repository has not accepted it yet. */
export const claimStates = ["unclaimed", "pending", "claimed"] as const;
export type ClaimState = (typeof claimStates)[number];

/** The verified claims of the token that was exchanged, under names of our own, and where its repository stands. */
export const ciIdentitySchema = z.object({
  provider: z.string(),
  issuer: z.string(),
  /** The one audience that this service takes, so that the token had it. */
  audience: z.string(),
  repository: ciRepositorySchema,
  event: z.string(),
  ref: z.string(),
  /** The branch that a pull request wants to change, where the event is one. */
  base_ref: z.nullable(z.string()),
  sha: z.string(),
  run_id: z.string(),
  run_attempt: z.string(),
  /** The id of who caused the event, and the workflow's file with its ref; null where the token has none. */
  actor_id: z.nullable(z.string()),
  workflow: z.nullable(z.string()),
  agent_id: z.uuid(),
  claim: z.enum(claimStates),
  /** When the capability ends. */
  expires_at: z.iso.datetime(),
  quota: quotaSchema,
});

export type CiIdentity = z.infer<typeof ciIdentitySchema>;

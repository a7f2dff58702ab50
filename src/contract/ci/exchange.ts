// POST, DELETE /v1/ci/oidc/exchange, GET /v1/ci/oidc/audience and GET /v1/ci/identity. Pure.
// Field names are those of OAuth 2.0 Token Exchange, RFC 8693.

import * as z from "zod/mini";
import { field, object } from "../field.ts";
import { audiences } from "../problems/problem.ts";

export const ID_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:id_token";
export const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
/** RFC 7523 §2.1: an ID token as the grant itself. */
export const JWT_BEARER_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const TOKEN_EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
export const CAPABILITY_PREFIX = "svc_ci_";
export const CAPABILITY_SCOPE = "ci:run";

export const visibilities = ["public", "private", "internal"] as const;
export type Visibility = (typeof visibilities)[number];

export const exchangeRequestSchema = object({
  // A missing token is a refusal with a reason of its own, not one wrong field among others.
  subject_token: field(z.optional(z.string()), "The job's OIDC token."),
  subject_token_type: field(
    z.optional(z.string()),
    "`urn:ietf:params:oauth:token-type:id_token`, or left out.",
  ),
  grant_type: field(
    z.optional(z.string()),
    "`urn:ietf:params:oauth:grant-type:token-exchange`, or left out.",
  ),
  account: field(
    z.optional(z.string().check(z.minLength(1), z.maxLength(255))),
    "The account whose pending claim the job accepts.",
  ),
  // Why: docs/decisions/127-a-claim-link-at-any-time.md
  claim_link: field(
    z.optional(z.enum(["always"])),
    "`always`: the answer has a claim link wherever an account can claim the agent. Left out: only where the next run needs an account.",
  ),
  sha: field(
    z.optional(z.string().check(z.maxLength(64))),
    "The commit that the job runs on. Read only where the provider's token names none.",
  ),
  default_branch: field(
    z.optional(z.string().check(z.maxLength(255))),
    "The repository's default branch, without `refs/heads/`. The newest commit that a job sends of it is what runs work on that no job asks for.",
  ),
});

/**
 * What the job's `account` came to: "claimed", it owns the agent, maybe since now; "refused_event", its claim waits, but
 * not for a job of this event; "none", it has no claim here. Without `account`: "pending" while a claim waits.
 */
const claimOutcomes = ["none", "pending", "claimed", "refused_event"] as const;
export type ClaimOutcome = (typeof claimOutcomes)[number];

export type ExchangeRequest = z.infer<typeof exchangeRequestSchema>;

export const ciRepositorySchema = object({
  provider: field(z.string(), "The CI provider, such as `github`."),
  id: field(z.string(), "The provider's numeric id. A rename does not change it."),
  owner_id: field(z.string(), "The numeric id of its owner."),
  name: field(z.string(), "`owner/name` when the token was made. A label, not a key."),
  visibility: field(z.enum(visibilities), "Who can read it."),
});

export const quotaSchema = object({
  audience: field(
    z.enum(audiences),
    "Who pays: `anon` stands for the free credits of the repository's owner.",
  ),
  credits_remaining: field(z.int(), "Whole credits."),
  resets_at: field(z.iso.datetime(), "When there are new ones."),
});

export const exchangeResponseSchema = object({
  access_token: field(z.string(), "The capability. Send it as the bearer credential."),
  issued_token_type: field(z.string(), "`urn:ietf:params:oauth:token-type:access_token`."),
  token_type: field(z.literal("Bearer"), "Always `Bearer`."),
  expires_in: field(z.int(), "Seconds until it ends."),
  scope: field(z.string(), "`ci:run`."),
  agent_id: field(z.uuid(), "The repository's agent, which it may run."),
  repository: field(ciRepositorySchema, "The repository that the token named."),
  quota: field(quotaSchema, "What the repository's owner has left."),
  claim_url: field(
    z.nullable(z.string()),
    "Where an account claims the repository's agent. Null where there is nothing to claim, and, without `claim_link`, while the owner's free credits pay.",
  ),
  claim: field(
    z.optional(z.enum(claimOutcomes)),
    "The state of the claim, as far as the job's `account` is concerned.",
  ),
});

/**
 * The answer of `ci.exchange`: a capability that lives `expires_in` seconds, the repository's agent and its quota in
 * credits.
 */
export type ExchangeResponse = z.infer<typeof exchangeResponseSchema>;

export const audienceResponseSchema = object({
  audience: field(z.string(), "What the token's `aud` must be."),
});
/** The audience that a job's ID token must be minted for. */
export type AudienceResponse = z.infer<typeof audienceResponseSchema>;

/** "pending": an account has asked for the repository's agent, and a job of the repository has not accepted it yet. */
const claimStates = ["unclaimed", "pending", "claimed"] as const;
export type ClaimState = (typeof claimStates)[number];

/** The verified claims of the token that was exchanged, under names of our own, and where its repository stands. */
export const ciIdentitySchema = object({
  provider: field(z.string(), "The CI provider."),
  issuer: field(z.string(), "Who signed the token."),
  audience: field(z.string(), "The audience that the token had."),
  repository: field(ciRepositorySchema, "The job's repository."),
  event: field(z.string(), "What started the job."),
  ref: field(z.string(), "The ref that the job runs on."),
  base_ref: field(z.nullable(z.string()), "The branch that a pull request goes to; null for other events."),
  sha: field(z.string(), "The commit that the job runs on."),
  run_id: field(z.string(), "The provider's id of the workflow run."),
  run_attempt: field(z.string(), "Its attempt."),
  actor_id: field(
    z.nullable(z.string()),
    "The provider's id of who caused the event; null where the token has none.",
  ),
  workflow: field(z.nullable(z.string()), "The workflow's file with its ref; null where the token has none."),
  agent_id: field(z.uuid(), "The repository's agent."),
  claim: field(
    z.enum(claimStates),
    "Whether an account has claimed the agent, or waits for a job to accept its claim.",
  ),
  expires_at: field(z.iso.datetime(), "When the capability ends."),
  quota: field(quotaSchema, "What the repository's owner, or its account, has left."),
});

/** The identity that a capability was issued to: repository, commit, event and workflow run. */
export type CiIdentity = z.infer<typeof ciIdentitySchema>;

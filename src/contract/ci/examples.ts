// Examples of what a CI job and its owner ask: the exchange and the claim. Credentials are cut short. Pure.

import type { Examples } from "../openapi/examples.ts";
import { ACCOUNT_ID, AGENT_ID, repository } from "../openapi/story.ts";
import { ACCESS_TOKEN_TYPE, CAPABILITY_SCOPE, ID_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT } from "./exchange.ts";

const exchanged = {
  access_token: "svc_ci_…",
  issued_token_type: ACCESS_TOKEN_TYPE,
  token_type: "Bearer" as const,
  expires_in: 900,
  scope: CAPABILITY_SCOPE,
  agent_id: AGENT_ID,
  repository,
};

export const ciExamples = {
  audience: {
    schema: "AudienceResponse",
    summary: "What the token's `aud` must be",
    value: { audience: "agent-service.example" },
  },
  exchangeToken: {
    schema: "ExchangeRequest",
    summary: "A job's token",
    value: {
      subject_token: "eyJhbGciOiJSUzI1NiIs…",
      subject_token_type: ID_TOKEN_TYPE,
      grant_type: TOKEN_EXCHANGE_GRANT,
    },
  },
  exchangeTokenForAccount: {
    schema: "ExchangeRequest",
    summary: "The job also names the account whose claim it accepts",
    value: { subject_token: "eyJhbGciOiJSUzI1NiIs…", account: ACCOUNT_ID },
  },
  exchangedFree: {
    schema: "ExchangeResponse",
    summary: "On the free credits of a public repository",
    value: {
      ...exchanged,
      quota: { audience: "anon", credits_remaining: 50, resets_at: "2026-03-10T00:00:00.000Z" },
      claim_url: null,
    },
  },
  exchangedClaimed: {
    schema: "ExchangeResponse",
    summary: "On an account, which owns the agent since now",
    value: {
      ...exchanged,
      quota: { audience: "subscribed", credits_remaining: 1_840, resets_at: "2026-04-01T00:00:00.000Z" },
      claim_url: null,
      claim: "claimed",
    },
  },
  identity: {
    schema: "CiIdentity",
    summary: "A push to a public repository that nobody has claimed",
    value: {
      provider: "github",
      issuer: "https://token.actions.githubusercontent.com",
      audience: "agent-service.example",
      repository,
      event: "push",
      ref: "refs/heads/main",
      base_ref: null,
      sha: "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
      run_id: "9876543210",
      run_attempt: "1",
      actor_id: "583231",
      workflow: ".github/workflows/agent.yml@refs/heads/main",
      agent_id: AGENT_ID,
      claim: "unclaimed",
      expires_at: "2026-03-09T10:15:00.000Z",
      quota: { audience: "anon", credits_remaining: 50, resets_at: "2026-04-01T00:00:00.000Z" },
    },
  },
  claimRepository: {
    schema: "ClaimRequest",
    summary: "The last part of a claim link",
    value: { claim: "svc_claim_…" },
  },
  claimAccepted: {
    schema: "ClaimResponse",
    summary: "The agent is this account's",
    value: { repository, agent_id: AGENT_ID, status: "claimed", expires_at: null },
  },
  claimPending: {
    schema: "ClaimResponse",
    summary: "The repository has not accepted it yet",
    value: { repository, agent_id: AGENT_ID, status: "pending", expires_at: "2026-03-16T10:00:00.000Z" },
  },
} satisfies Examples;

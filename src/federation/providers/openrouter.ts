// OpenRouter: RFC 8693 (token exchange) as a form. Looked up on 2026-11-22:
// https://openrouter.ai/docs/guides/overview/auth/workload-identity-federation (fields, at most 16 KB, table of errors).

import type { FederationProvider } from "../provider.ts";
import { JWT_TYPE, reasonOfOauth, TOKEN_EXCHANGE } from "../token-exchange.ts";

export const openrouter: FederationProvider = {
  title: "OpenRouter",
  // A policy names whatever audience its administrator chose; this is the host's own.
  audience: "https://openrouter.ai",
  exchangeUrl: "https://openrouter.ai/api/v1/oauth/token",
  apiBaseUrl: "https://openrouter.ai/api/v1",
  wire: "openai-compatible",
  agentProtocol: "openai-compatible",
  apiHeaders: {},
  identifiers: {
    federation_policy_id: {
      title: "federation policy",
      allowed: "the UUID of a federation policy",
      pattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
      isRequired: true,
    },
  },
  settingsPage: "OpenRouter, Settings → Workload identity",
  matches:
    "whether the policy exists and is enabled; and that its issuer, subject and audience are exactly those of the token",
  guideUrl: "https://openrouter.ai/docs/guides/overview/auth/workload-identity-federation",
  exchangeRequest: (idToken, identifiers) => ({
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: TOKEN_EXCHANGE,
      subject_token: idToken,
      subject_token_type: JWT_TYPE,
      ...identifiers,
    }).toString(),
  }),
  reasonOf: reasonOfOauth,
};

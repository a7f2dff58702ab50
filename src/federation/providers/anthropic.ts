// Anthropic: RFC 7523 (jwt-bearer) as JSON. Looked up on 2026-11-22:
// https://platform.claude.com/docs/en/manage-claude/wif-reference (fields, answer), anthropic-sdk-typescript
// src/lib/credentials (the two beta headers, at most 16 KiB), anthropics/claude-code#89095 (one exchange a token).

import type { TokenExchange } from "../provider.ts";
import { jsonOf, oneStep } from "../token-exchange.ts";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Requests with an OAuth token in place of a key need the first, an exchange needs both. */
const OAUTH_BETA = "oauth-2025-04-20";
const FEDERATION_BETA = "oidc-federation-2026-04-01";

const EXCHANGE_URL = "https://api.anthropic.com/v1/oauth/token";

export const anthropic: TokenExchange = {
  exchangeUrl: () => EXCHANGE_URL,
  apiHeaders: { "anthropic-beta": OAUTH_BETA },
  settingsPage: "Claude Console, Settings → Workload identity",
  matches:
    "the rule's issuer, subject, audience and conditions; whether the service account is a member of the workspace; and " +
    "anthropic-workspace-id, which a rule for several workspaces needs. The authentication events of that page have the reason",
  guideUrl: "https://platform.claude.com/docs/en/manage-claude/wif-providers/github-actions",
  ...oneStep(({ idToken: assertion, identifiers }) => {
    const { headers, body } = jsonOf({ grant_type: JWT_BEARER, assertion, ...identifiers });
    return {
      url: EXCHANGE_URL,
      headers: { ...headers, "anthropic-beta": `${OAUTH_BETA},${FEDERATION_BETA}` },
      body,
    };
  }),
  // The form of a request is checked first, and a fault of it is named. Every other refusal is the same 401.
  explain: ({ status }) => {
    if (status === 400) return "federation_request_invalid";
    if (status === 404) return "federation_identifier_unknown";
    return status === 403 ? "federation_account_refused" : "federation_refused";
  },
};

// OpenRouter: RFC 8693 (token exchange) as a form. Looked up on 2026-11-22:
// https://openrouter.ai/docs/guides/overview/auth/workload-identity-federation (fields, at most 16 KB, table of errors).

import type { TokenExchange } from "../provider.ts";
import { formOf, JWT_TYPE, oneStep, reasonOfOauth, TOKEN_EXCHANGE } from "../token-exchange.ts";

const EXCHANGE_URL = "https://openrouter.ai/api/v1/oauth/token";

export const openrouter: TokenExchange = {
  exchangeUrl: () => EXCHANGE_URL,
  apiHeaders: {},
  settingsPage: "OpenRouter, Settings → Workload identity",
  matches:
    "whether the policy exists and is enabled; and that its issuer, subject and audience are exactly those of the token",
  guideUrl: "https://openrouter.ai/docs/guides/overview/auth/workload-identity-federation",
  ...oneStep(({ idToken, identifiers }) => ({
    url: EXCHANGE_URL,
    ...formOf({
      grant_type: TOKEN_EXCHANGE,
      subject_token: idToken,
      subject_token_type: JWT_TYPE,
      ...identifiers,
    }),
  })),
  explain: reasonOfOauth,
};

// OpenAI's API: RFC 8693 (token exchange) as JSON. Looked up on 2026-11-22:
// https://developers.openai.com/api/reference/workload-identity-federation (fields), openai-node src/auth (answer, without
// `expires_in` an hour; 400, 401 and 403 carry `error`, such as invalid_grant and invalid_subject_token).

import type { TokenExchange } from "../provider.ts";
import { JWT_TYPE, jsonOf, oneStep, reasonOfOauth, TOKEN_EXCHANGE } from "../token-exchange.ts";

const EXCHANGE_URL = "https://auth.openai.com/oauth/token";

export const openai: TokenExchange = {
  exchangeUrl: () => EXCHANGE_URL,
  apiHeaders: {},
  settingsPage: "OpenAI Platform, Organization settings → Security → Workload Identity Provider",
  matches:
    "the provider's issuer and audience, which must be one that OpenAI has a setup guide for; and that exactly one enabled " +
    "mapping to the service account fits the token's attributes",
  guideUrl: "https://developers.openai.com/api/docs/guides/workload-identity-federation/github-actions",
  ...oneStep(({ idToken, identifiers }) => ({
    url: EXCHANGE_URL,
    ...jsonOf({
      grant_type: TOKEN_EXCHANGE,
      subject_token: idToken,
      subject_token_type: JWT_TYPE,
      ...identifiers,
    }),
  })),
  explain: reasonOfOauth,
};

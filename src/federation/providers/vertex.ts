// Google Vertex AI: RFC 8693 (token exchange) at Google's Security Token Service, then, where one is named, the token of a service account.
// Looked up on 2026-11-29: https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token (fields, answer),
// https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken,
// google-github-actions/auth (the audience), its issues #202, #334, #340 (errors).

import type { ExchangeRefusal, Explained, Granted, ModelFederation, TokenExchange } from "../provider.ts";
import { grantedBy, JWT_TYPE, jsonOf, TOKEN_EXCHANGE } from "../token-exchange.ts";

const STS_URL = "https://sts.googleapis.com/v1/token";
const ACCOUNTS_URL = "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const PAGE = "Google Cloud console, IAM & Admin → Workload Identity Federation";

export const vertex: TokenExchange = {
  exchangeUrl: () => STS_URL,
  apiHeaders: {},
  settingsPage: PAGE,
  matches: "the provider's issuer and allowed audiences; its attribute mapping and its attribute condition",
  guideUrl: "https://github.com/google-github-actions/auth/blob/main/README.md#setup",
  neededRight:
    'The principal of the job, or the service account, needs the role "Vertex AI User" (roles/aiplatform.user) in the project. Claude is enabled in Model Garden, once a project.',
  exchange: async ({ idToken, identifiers, send, keep, nowMs }) => {
    const { workload_identity_provider: provider, service_account: account } = identifiers;
    const exchanged = grantedBy(
      await send({
        url: STS_URL,
        ...jsonOf({
          grantType: TOKEN_EXCHANGE,
          audience: `//iam.googleapis.com/${provider}`,
          scope: SCOPE,
          requestedTokenType: "urn:ietf:params:oauth:token-type:access_token",
          subjectTokenType: JWT_TYPE,
          subjectToken: idToken,
        }),
      }),
    );
    const { accessToken } = exchanged;
    if (
      account === undefined ||
      typeof accessToken !== "string" ||
      !/^[\x21-\x7e]{8,16384}$/.test(accessToken)
    )
      return exchanged;
    keep(accessToken);
    const { headers, body } = jsonOf({ scope: [SCOPE], lifetime: "3600s" });
    const answer = await send({
      url: urlOf(account),
      headers: { ...headers, authorization: `Bearer ${accessToken}` },
      body,
    });
    return grantedToAccount(answer, nowMs);
  },
  explain,
};

function urlOf(account: string): string {
  return `${ACCOUNTS_URL}/${account}:generateAccessToken`;
}

function grantedToAccount(
  { accessToken, expireTime }: Readonly<Record<string, unknown>>,
  nowMs: number,
): Granted {
  const endsAtMs = Date.parse(String(expireTime));
  return { accessToken, expiresInSeconds: Math.floor((endsAtMs - nowMs) / 1000) };
}

function explain(refusal: ExchangeRefusal, federation: ModelFederation): Explained {
  return refusal.url === STS_URL ? explainExchange(refusal, federation) : explainAccount(refusal, federation);
}

function explainExchange(
  { status, error, text }: ExchangeRefusal,
  { audience, identifiers }: ModelFederation,
): Explained {
  const { workload_identity_provider: provider } = identifiers;
  if (error === "invalid_target") {
    return {
      code: "federation_identifier_unknown",
      advice: `There is no workload identity provider ${provider}, or it is disabled or deleted. Correct google-workload-identity-provider: it begins with the project's number, not its id.`,
    };
  }
  if (/attribute condition/i.test(text)) {
    return {
      code: "federation_refused",
      advice: `The attribute condition of ${provider} rejects the job's token. Compare the condition with the claims that the doctor shows (${PAGE}).`,
    };
  }
  if (/audience/i.test(text)) {
    return {
      code: "federation_audience_refused",
      advice: `The provider ${provider} does not allow the audience "${audience}". Add it to the allowed audiences, or set "model-audience" to one of them.`,
    };
  }
  if (/issuer/i.test(text)) {
    return {
      code: "federation_refused",
      advice: `The issuer of ${provider} is not that of the job's token, or Google cannot fetch its keys. Write it as the doctor shows it (${PAGE}).`,
    };
  }
  if (/stale|expired/i.test(text)) {
    return {
      code: "federation_token_expired",
      advice: "The ID token had expired before Google saw it. Compare the runner's clock.",
    };
  }
  if (/mapp/i.test(text)) {
    return {
      code: "federation_refused",
      advice: `The attribute mapping of ${provider} does not fit the job's token: google.subject must become 1 to 127 bytes. Compare it with the claims that the doctor shows.`,
    };
  }
  if (error === "invalid_request") return "federation_request_invalid";
  return status === 403 ? "federation_account_refused" : "federation_refused";
}

function explainAccount({ status, text }: ExchangeRefusal, { identifiers }: ModelFederation): Explained {
  const { service_account: account } = identifiers;
  if (/has not been used|is disabled|SERVICE_DISABLED/i.test(text)) {
    return {
      code: "federation_account_refused",
      advice:
        "The IAM Service Account Credentials API is not enabled in the project of the pool. Enable iamcredentials.googleapis.com there.",
    };
  }
  if (status === 404) {
    return {
      code: "federation_identifier_unknown",
      advice: `There is no service account ${account}. Correct google-service-account.`,
    };
  }
  return {
    code: "federation_account_refused",
    advice: `The job's principal may not act as ${account}, or there is no such account. Grant it roles/iam.workloadIdentityUser on that account, for a principalSet of the pool.`,
  };
}

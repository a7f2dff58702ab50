// Microsoft Foundry: the client assertion of Microsoft Entra ID (RFC 7523 §2.2) as a form. Looked up on 2026-11-29:
// https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow (fields, answer),
// https://learn.microsoft.com/entra/identity-platform/reference-error-codes, Azure/login#515 and #617 (700213, 7002138),
// https://learn.microsoft.com/entra/workload-id/workload-identity-federation-considerations (a new credential takes minutes).

import type { ExchangeRefusal, Explained, ModelFederation, TokenExchange } from "../provider.ts";
import { formOf, oneStep } from "../token-exchange.ts";

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
export const DEFAULT_SCOPE = "https://ai.azure.com/.default";
/** Two of them are some 40 seconds: a credential that was added a minute ago is found by then, as a rule. */
const CLEARS_IN_MS = 20_000;
const PAGE =
  "Microsoft Entra admin center, App registrations → Certificates & secrets → Federated credentials";

const urlOf = (tenant: string | undefined) => `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`;

export const foundry: TokenExchange = {
  exchangeUrl: ({ tenant_id }) => urlOf(tenant_id),
  apiHeaders: {},
  settingsPage: PAGE,
  matches:
    "the credential's issuer, subject and audience, which must be those of the token exactly, in the same case",
  guideUrl: "https://learn.microsoft.com/entra/workload-id/workload-identity-federation-create-trust",
  neededRight:
    'The application needs the role "Cognitive Services User" or "Foundry User" on the Foundry resource.',
  ...oneStep(({ idToken, identifiers: { tenant_id, client_id = "", token_scope } }) => ({
    url: urlOf(tenant_id),
    ...formOf({
      grant_type: "client_credentials",
      client_id,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: idToken,
      scope: token_scope ?? DEFAULT_SCOPE,
    }),
  })),
  explain,
};

/** By the number in the description: the field `error` is the same for most of them. */
function explain({ text }: ExchangeRefusal, { audience, identifiers }: ModelFederation): Explained {
  const number = /\bAADSTS(\d{4,9})\b/.exec(text)?.[1] ?? "";
  const { tenant_id: tenant, client_id: client, token_scope: scope = DEFAULT_SCOPE } = identifiers;
  const coded = (what: string) => `AADSTS${number}: ${what}`;
  switch (number) {
    // No credential with the subject. 70021 is the same without a detail.
    case "700213":
    case "70021":
      return {
        code: "federation_refused",
        advice: coded(
          `no federated credential of the application ${client} has the subject of the job's token. Add one in ${PAGE}, with the subject as the doctor shows it: GitHub's newer subjects hold ids (repo:owner@1/name@2:…), and no wildcard matches there. One that was just added may need some minutes.`,
        ),
        clearsInMs: CLEARS_IN_MS,
      };
    case "7002138":
      return {
        code: "federation_refused",
        advice: coded(
          `the subject of the federated credential differs in upper and lower case alone. Write it in ${PAGE} as the doctor shows it.`,
        ),
      };
    case "700211":
      return {
        code: "federation_refused",
        advice: coded(
          `no federated credential of the application ${client} has the issuer of the job's token. Add one in ${PAGE}, with the issuer as the doctor shows it.`,
        ),
      };
    case "700212":
      return {
        code: "federation_audience_refused",
        advice: coded(
          `no federated credential of the application ${client} has the audience "${audience}". It must be the same in ${PAGE} and here ("model-audience").`,
        ),
      };
    case "700024":
      return {
        code: "federation_token_expired",
        advice: coded("the ID token is not valid at this time. Compare the runner's clock."),
      };
    case "50027":
    case "5002738":
      return {
        code: "federation_refused",
        advice: coded(
          "Entra cannot verify the ID token. Its issuer's keys must be public, and its signature RS256.",
        ),
      };
    case "700016":
    case "7000229":
      return {
        code: "federation_identifier_unknown",
        advice: coded(
          `the tenant ${tenant} has no application with the client id ${client}, or it has no service principal there. Correct azure-client-id or azure-tenant-id.`,
        ),
      };
    case "90002":
    case "900023":
      return {
        code: "federation_identifier_unknown",
        advice: coded(`there is no tenant ${tenant}. Correct azure-tenant-id.`),
      };
    case "500011":
      return {
        code: "federation_request_invalid",
        advice: coded(
          `the tenant ${tenant} does not know the resource of the scope ${scope}. Set azure-token-scope to the other of the two.`,
        ),
      };
    case "7000112":
      return {
        code: "federation_account_refused",
        advice: coded(`the application ${client} is disabled in the tenant ${tenant}. Enable it there.`),
      };
    case "53003":
    case "530032":
      return {
        code: "federation_account_refused",
        advice: coded(
          `a policy of Conditional Access for workload identities blocks the application ${client} where the job runs.`,
        ),
      };
    default:
      return number === ""
        ? "federation_refused"
        : { code: "federation_refused", advice: otherAdvice(number) };
  }
}

function otherAdvice(number: string): string {
  return `Its number is AADSTS${number}: https://login.microsoftonline.com/error?code=${number} has its meaning. Compare the federated credential in ${PAGE} with the values that the doctor shows.`;
}

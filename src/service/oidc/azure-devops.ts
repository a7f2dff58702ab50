// Issuers of Azure DevOps, which is no provider here, and the reason. Pure.
// https://learn.microsoft.com/azure/devops/pipelines/release/configure-workload-identity

import { ciProviderNames, providerTitles } from "../../contract/ci/providers.ts";

export const AZURE_REFUSED =
  "Azure DevOps cannot be used: its tokens are made for Microsoft's own token exchange, and no job can have one made for this service. Whoever received such a token could use it here. " +
  `Run the job at ${providerTitles(ciProviderNames, "or")}.`;

const AZURE_HOSTS = /(^|\.)vstoken\.(dev\.azure\.com|visualstudio\.com)$/;

/** True for `https://vstoken.dev.azure.com/<id>` and `https://app.vstoken.visualstudio.com/<id>`. */
export function isAzureIssuer(issuer: unknown): boolean {
  const url = typeof issuer === "string" ? URL.parse(issuer) : null;
  return url !== null && AZURE_HOSTS.test(url.hostname);
}

// Tokens of the managed identity that Azure has given this machine or application: for an application of the tenant, and for models. Looked up on 2026-11-29:
// https://learn.microsoft.com/azure/app-service/overview-managed-identity (IDENTITY_ENDPOINT), and
// https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token (machines). AZURE_CLIENT_ID, for one of
// several identities, and AZURE_POD_IDENTITY_AUTHORITY_HOST are variables of Azure's own libraries.

import { parseObject } from "../../base/json.ts";
import type { Granted } from "../provider.ts";
import {
  type AudienceParts,
  noToken,
  type PlatformParts,
  type PlatformRequest,
  readPlatform,
} from "./platform-request.ts";

const ADVICE =
  "Assign an identity to what this process is executed on, and name it in AZURE_CLIENT_ID where there are several; or unset MODEL_IDENTITY=azure.";

export async function azureToken({ audience, ...parts }: AudienceParts): Promise<string> {
  const { access_token: token } = await askAzure(audience, {
    ...parts,
    advice: `${ADVICE} Let MODEL_AUDIENCE be an application ID URI of the tenant.`,
  });
  if (typeof token === "string") return token;
  throw noToken(`Azure's answer has no token. ${ADVICE}`);
}

/** An access token for the models of a Foundry resource. `scope`: of the token. */
export async function foundryToken(
  scope: string,
  { nowMs, ...parts }: PlatformParts & { readonly nowMs: number },
): Promise<Granted> {
  const answer = await askAzure(scope.replace(/\/\.default$/, ""), { ...parts, advice: ADVICE });
  const { access_token: accessToken, expires_on: endsAt } = answer;
  // In seconds since the epoch, as a text.
  return { accessToken, expiresInSeconds: Math.floor(Number(endsAt) - nowMs / 1000) };
}

async function askAzure(
  resource: string,
  { environment, signal, advice }: PlatformParts & { readonly advice: string },
): Promise<Readonly<Record<string, unknown>>> {
  const clientId = environment.AZURE_CLIENT_ID?.trim() ?? "";
  const asked = { resource, ...(clientId === "" ? {} : { client_id: clientId }) };
  const request = { ...requestOf(asked, environment), advice };
  return parseObject(await readPlatform(request, signal)) ?? {};
}

function requestOf(
  asked: Readonly<Record<string, string>>,
  environment: PlatformParts["environment"],
): Omit<PlatformRequest, "advice"> {
  const endpoint = environment.IDENTITY_ENDPOINT?.trim() ?? "";
  const header = environment.IDENTITY_HEADER?.trim() ?? "";
  // Applications and containers have an endpoint of their own, machines the one of all.
  if (endpoint !== "" && header !== "")
    return {
      what: "Azure's identity endpoint",
      url: `${endpoint}?${new URLSearchParams({ "api-version": "2019-08-01", ...asked })}`,
      headers: { "x-identity-header": header },
    };
  const host = environment.AZURE_POD_IDENTITY_AUTHORITY_HOST?.trim() || "http://169.254.169.254";
  const query = new URLSearchParams({ "api-version": "2018-02-01", ...asked });
  return {
    what: "Azure's metadata service",
    url: `${host}/metadata/identity/oauth2/token?${query}`,
    headers: { metadata: "true" },
  };
}

// A token of the managed identity that Azure has given this machine or application, for an application of the tenant. Looked up on 2026-11-29:
// https://learn.microsoft.com/azure/app-service/overview-managed-identity (IDENTITY_ENDPOINT), and
// https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token (machines). AZURE_CLIENT_ID, for one of
// several identities, and AZURE_POD_IDENTITY_AUTHORITY_HOST are variables of Azure's own libraries.

import { parseObject } from "../../base/json.ts";
import { noToken, type PlatformParts, type PlatformRequest, readPlatform } from "./platform-request.ts";

const ADVICE =
  "Assign an identity to what this process is executed on, name it in AZURE_CLIENT_ID where there are several, and let MODEL_AUDIENCE be an application ID URI of the tenant; or unset MODEL_IDENTITY=azure.";

export async function azureToken({ audience, environment, signal }: PlatformParts): Promise<string> {
  const clientId = environment.AZURE_CLIENT_ID?.trim() ?? "";
  const asked = { resource: audience, ...(clientId === "" ? {} : { client_id: clientId }) };
  const body = await readPlatform(requestOf(asked, environment), signal);
  const token = parseObject(body)?.access_token;
  if (typeof token === "string") return token;
  throw noToken(`Azure's answer has no token. ${ADVICE}`);
}

function requestOf(
  asked: Readonly<Record<string, string>>,
  environment: PlatformParts["environment"],
): PlatformRequest {
  const endpoint = environment.IDENTITY_ENDPOINT?.trim() ?? "";
  const header = environment.IDENTITY_HEADER?.trim() ?? "";
  // Applications and containers have an endpoint of their own, machines the one of all.
  if (endpoint !== "" && header !== "")
    return {
      what: "Azure's identity endpoint",
      advice: ADVICE,
      url: `${endpoint}?${new URLSearchParams({ "api-version": "2019-08-01", ...asked })}`,
      headers: { "x-identity-header": header },
    };
  const host = environment.AZURE_POD_IDENTITY_AUTHORITY_HOST?.trim() || "http://169.254.169.254";
  const query = new URLSearchParams({ "api-version": "2018-02-01", ...asked });
  return {
    what: "Azure's metadata service",
    advice: ADVICE,
    url: `${host}/metadata/identity/oauth2/token?${query}`,
    headers: { metadata: "true" },
  };
}

// Metadata of the authorization server (RFC 8414) and of the protected resource (RFC 9728), which clients read first. Pure.

import { JWT_BEARER_GRANT, TOKEN_EXCHANGE_GRANT } from "../../../contract/ci/exchange.ts";
import { apiScopes, OFFLINE_ACCESS } from "../../../contract/oauth/scopes.ts";
import type { Policy } from "../../core/core.ts";
import { resourceOf } from "../../core/oauth/resource.ts";
import { grantTypes } from "./grant-types.ts";
import { oauthPaths } from "./paths.ts";

export type ServerPolicy = Pick<Policy, "baseUrl" | "registersClients" | "readsClientDocuments">;

export function serverMetadata({ baseUrl, registersClients, readsClientDocuments }: ServerPolicy): object {
  const at = (path: string) => baseUrl + path;
  return {
    issuer: baseUrl,
    authorization_endpoint: at(oauthPaths.authorize),
    token_endpoint: at(oauthPaths.token),
    ...(registersClients ? { registration_endpoint: at(oauthPaths.register) } : {}),
    revocation_endpoint: at(oauthPaths.revoke),
    device_authorization_endpoint: at(oauthPaths.deviceAuthorization),
    jwks_uri: at(oauthPaths.jwks),
    scopes_supported: [...apiScopes, OFFLINE_ACCESS],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    // The last two are for CI jobs, which are no clients of the library.
    grant_types_supported: [...Object.values(grantTypes), TOKEN_EXCHANGE_GRANT, JWT_BEARER_GRANT],
    // Clients are programs on people's machines, or documents on the web: neither has a secret. Some clients read a
    // client's document only where "none" is listed.
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ...(readsClientDocuments ? { client_id_metadata_document_supported: true } : {}),
    service_documentation: at("/docs"),
  };
}

export function resourceMetadata({ baseUrl }: ServerPolicy): object {
  return {
    resource: resourceOf(baseUrl),
    authorization_servers: [baseUrl],
    scopes_supported: apiScopes,
    bearer_methods_supported: ["header"],
    resource_name: "Agent Service",
    resource_documentation: `${baseUrl}/docs`,
  };
}

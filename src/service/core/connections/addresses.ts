// Addresses of this service as a client of authorization servers. Pure.

import type { Policy } from "../core.ts";

type Addressed = Pick<Policy, "webUrl">;

export const CLIENT_DOCUMENT_PATH = "/oauth/client.json";
export const CALLBACK_PATH = "/settings/connections/callback";

export function connectionsUrl({ webUrl }: Addressed): string {
  return `${webUrl}/settings/connections`;
}

export function callbackUrl({ webUrl }: Addressed): string {
  return webUrl + CALLBACK_PATH;
}

/** Null where nobody could read it: a document's address begins with https. */
export function documentUrl({ webUrl }: Addressed): string | null {
  return webUrl.startsWith("https:") ? webUrl + CLIENT_DOCUMENT_PATH : null;
}

export function clientName({ webUrl }: Addressed): string {
  return `agent-service at ${new URL(webUrl).host}`;
}

/** The client ID metadata document: this service, as authorization servers read it. */
export function clientDocument(policy: Addressed): Readonly<Record<string, unknown>> {
  return {
    client_id: policy.webUrl + CLIENT_DOCUMENT_PATH,
    client_name: clientName(policy),
    client_uri: policy.webUrl,
    redirect_uris: [callbackUrl(policy)],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "web",
  };
}

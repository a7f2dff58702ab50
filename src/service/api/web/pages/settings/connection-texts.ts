// Why nobody is led to an authorization server, or came back without a connection, and what to do. Pure.

import type { ConnectRefusal } from "../../../../core/connections/refusals.ts";

/** Of another authorization server's answer nothing is repeated. */
export function connectRefusalText(refusal: ConnectRefusal): string {
  switch (refusal.reason) {
    case "off":
      return "This service keeps no connections: its operator has set no RUN_SECRETS_KEY.";
    case "name_wrong":
      return `The name must be ${refusal.allowed}.`;
    case "url_wrong":
      return `The address ${refusal.allowed}.`;
    case "reached":
      return `An account may have ${refusal.allowed} connections. Disconnect one first.`;
    case "other_server":
      return `The connection ${refusal.name} is with ${refusal.serverUrl}. Disconnect it first, or choose another name.`;
    case "failed":
      return `Nothing was connected. ${refusal.detail}`;
    case "over":
      return "This sign-in was not begun in this session, was used before, or took more than ten minutes. Begin again.";
    case "other_issuer":
      return `The answer did not come from ${refusal.issuer}, where you were to sign in. Nothing was connected. Begin again; where this happens twice, tell whoever runs that server.`;
    case "denied": {
      const { issuer, error, description } = refusal;
      const said = description === null ? error : `${error}: ${description}`;
      const then =
        nextSteps[error] ?? "Begin again; where this happens twice, tell whoever runs that server.";
      return `${issuer} answered without a connection: ${said}. ${then}`;
    }
  }
}

/** Errors of RFC 6749 §4.1.2.1 and RFC 8707, and of answers without a code. */
const nextSteps: Readonly<Record<string, string>> = {
  access_denied: "Begin again, and allow it there.",
  invalid_scope: "It does not give what the server asks for. Ask whoever runs that server.",
  invalid_target: "It gives no tokens for this server. Compare the server's address.",
  unauthorized_client: "It does not know this service. Begin again.",
  invalid_request: "It does not take the request. Ask whoever runs that server.",
  server_error: "Try again later.",
  temporarily_unavailable: "Try again later.",
  no_code: "It came back without a code. Begin again.",
};

// The command's own client: it signs in by a code that a person enters, and gets a key for it. Pure.

import type { ClientMetadata } from "oidc-provider";
import { KEY_MINT } from "../../../contract/oauth/scopes.ts";
import { grantTypes } from "./grant-types.ts";

export const COMMAND_CLIENT = "agent-service";

export const builtInClient: ClientMetadata = {
  client_id: COMMAND_CLIENT,
  client_name: "agent-service command",
  token_endpoint_auth_method: "none",
  application_type: "native",
  grant_types: [grantTypes.device],
  response_types: [],
  redirect_uris: [],
};

/** The scope that it asks for. */
export const COMMAND_SCOPE = KEY_MINT;

// Tokens for the models of the cloud that this process is executed on, by the credentials that it has there. Nothing is exchanged.
// Why: docs/decisions/180-a-platform-without-a-file.md

import type { CloudName } from "../../contract/models/clouds.ts";
import { bedrockKey } from "../bedrock-key.ts";
import type { FederationIdentifiers, Granted } from "../provider.ts";
import { DEFAULT_SCOPE } from "../providers/foundry.ts";
import { awsCredentials } from "./aws-credentials.ts";
import { foundryToken } from "./azure.ts";
import { vertexToken } from "./gcp.ts";
import type { PlatformParts } from "./platform-request.ts";

type OwnParts = PlatformParts & { readonly identifiers: FederationIdentifiers; readonly nowMs: number };

/** Reject with FederationError, which says what to change, or with the signal's reason. */
const tokens: Readonly<Record<CloudName, (parts: OwnParts) => Promise<Granted>>> = {
  bedrock: async ({ identifiers: { region = "" }, nowMs, ...parts }) =>
    await bedrockKey(await awsCredentials(parts), { region, nowMs }),
  vertex: vertexToken,
  foundry: async ({ identifiers: { token_scope: scope = DEFAULT_SCOPE }, ...parts }) =>
    await foundryToken(scope, parts),
};

export async function ownModelToken(cloud: CloudName, parts: OwnParts): Promise<Granted> {
  return await tokens[cloud](parts);
}

// ID tokens that a cloud gives what this process is executed on, one for each exchange.
// Why: docs/decisions/180-a-platform-without-a-file.md

import type { Platform } from "../../contract/models/clouds.ts";
import { awsToken } from "./aws.ts";
import { azureToken } from "./azure.ts";
import { gcpToken } from "./gcp.ts";
import type { AudienceParts } from "./platform-request.ts";

const sources: Readonly<Record<Platform, (parts: AudienceParts) => Promise<string>>> = {
  aws: awsToken,
  gcp: gcpToken,
  azure: azureToken,
};

/** Rejects with FederationError, which says what to change, or with the signal's reason. */
export async function platformToken(platform: Platform, parts: AudienceParts): Promise<string> {
  return await sources[platform](parts);
}

// ID tokens that a cloud gives what this process is executed on, one for each exchange.
// Why: docs/decisions/180-a-platform-without-a-file.md

import { awsToken } from "./aws.ts";
import { azureToken } from "./azure.ts";
import { gcpToken } from "./gcp.ts";
import type { PlatformParts } from "./platform-request.ts";

export const platforms = ["aws", "gcp", "azure"] as const;
export type Platform = (typeof platforms)[number];

const sources: Readonly<Record<Platform, (parts: PlatformParts) => Promise<string>>> = {
  aws: awsToken,
  gcp: gcpToken,
  azure: azureToken,
};

/** Rejects with FederationError, which says what to change, or with the signal's reason. */
export async function platformToken(platform: Platform, parts: PlatformParts): Promise<string> {
  return await sources[platform](parts);
}

// Tokens of the service account that Google Cloud has given this machine, container or function. Looked up on 2026-11-29:
// https://cloud.google.com/docs/authentication/get-id-token#metadata-server,
// https://cloud.google.com/compute/docs/access/authenticate-workloads; GCE_METADATA_HOST is a variable of Google's own libraries.

import { parseObject } from "../../base/json.ts";
import type { Granted } from "../provider.ts";
import { grantedBy } from "../token-exchange.ts";
import { type AudienceParts, type PlatformParts, readPlatform } from "./platform-request.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";

export async function gcpToken({ audience, ...parts }: AudienceParts): Promise<string> {
  return await askMetadata("identity", { audience, format: "full" }, parts);
}

/** An access token of the service account. Its scopes may be the machine's own. */
export async function vertexToken(parts: PlatformParts): Promise<Granted> {
  return grantedBy(parseObject(await askMetadata("token", { scopes: SCOPE }, parts)) ?? {});
}

async function askMetadata(
  what: string,
  query: Readonly<Record<string, string>>,
  { environment, signal }: PlatformParts,
): Promise<string> {
  const host = environment.GCE_METADATA_HOST?.trim() || "metadata.google.internal";
  const path = `computeMetadata/v1/instance/service-accounts/default/${what}`;
  const request = {
    what: "Google Cloud's metadata server",
    advice: "Give what this process is executed on a service account, or unset MODEL_IDENTITY=gcp.",
    url: `http://${host}/${path}?${new URLSearchParams(query)}`,
    headers: { "metadata-flavor": "Google" },
  };
  return await readPlatform(request, signal);
}

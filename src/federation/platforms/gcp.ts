// The ID token of the service account that Google Cloud has given this machine, container or function. Looked up on 2026-11-29:
// https://cloud.google.com/docs/authentication/get-id-token#metadata-server; GCE_METADATA_HOST is a variable of Google's own libraries.

import { type PlatformParts, readPlatform } from "./platform-request.ts";

export async function gcpToken({ audience, environment, signal }: PlatformParts): Promise<string> {
  const host = environment.GCE_METADATA_HOST?.trim() || "metadata.google.internal";
  const query = new URLSearchParams({ audience, format: "full" });
  const request = {
    what: "Google Cloud's metadata server",
    advice: "Give what this process is executed on a service account, or unset MODEL_IDENTITY=gcp.",
    url: `http://${host}/computeMetadata/v1/instance/service-accounts/default/identity?${query}`,
    headers: { "metadata-flavor": "Google" },
  };
  return await readPlatform(request, signal);
}

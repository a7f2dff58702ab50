// A short-term key of Amazon Bedrock: a presigned request, as a bearer has it, made of credentials of AWS without asking anybody. It ends with them,
// and is of one region. Looked up on 2026-11-29: https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html, @aws/bedrock-token-generator
// 1.1.0 (its form).

import type { Granted } from "./provider.ts";

/** Every role allows an hour. */
export const SESSION_SECONDS = 3600;

export type AwsSession = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Absent: they are a user's. */
  readonly sessionToken?: string;
  /** Infinity: they do not say. */
  readonly endsAtMs: number;
};

export async function bedrockKey(
  { endsAtMs, ...credentials }: AwsSession,
  { region, nowMs }: { readonly region: string; readonly nowMs: number },
): Promise<Granted> {
  const seconds = Math.min(SESSION_SECONDS, Math.floor((endsAtMs - nowMs) / 1000));
  if (!(seconds > 0)) return { accessToken: null };
  const { AwsV4Signer } = await import("aws4fetch");
  const { url } = await new AwsV4Signer({
    ...credentials,
    method: "POST",
    url: `https://bedrock.amazonaws.com/?Action=CallWithBearerToken&X-Amz-Expires=${seconds}`,
    service: "bedrock",
    region,
    signQuery: true,
    datetime: new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, ""),
  }).sign();
  const request = `${url.host}${url.pathname}${url.search}&Version=1`;
  return {
    accessToken: `bedrock-api-key-${Buffer.from(request).toString("base64")}`,
    expiresInSeconds: seconds,
  };
}

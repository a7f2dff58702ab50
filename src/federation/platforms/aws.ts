// A token of the role that AWS has given this machine, container or function: STS signs who calls it, for an audience. Looked up on 2026-11-29:
// https://docs.aws.amazon.com/STS/latest/APIReference/API_GetWebIdentityToken.html (regional endpoints alone; the account has to enable it).

import { parseObject } from "../../base/json.ts";
import { stsHost } from "../../contract/models/clouds.ts";
import type { AwsSession } from "../bedrock-key.ts";
import { formOf } from "../token-exchange.ts";
import { awsCredentials } from "./aws-credentials.ts";
import { type AudienceParts, askPlatform, noToken } from "./platform-request.ts";

const WHAT = "AWS STS";
const TOKEN_SECONDS = "300";
/** By the code of the refusal. */
const advice: Readonly<Record<string, string>> = {
  OutboundWebIdentityFederationDisabledException:
    "Enable it for the account: aws iam enable-outbound-web-identity-federation.",
  AccessDenied: "Allow the role sts:GetWebIdentityToken for this audience.",
  ExpiredToken: "Its credentials have ended: let the platform replace them.",
};

export async function awsToken(parts: AudienceParts): Promise<string> {
  const { audience, environment, signal } = parts;
  const { region, endsAtMs: _, ...credentials } = await awsCredentials(parts);
  const url = environment.AWS_ENDPOINT_URL_STS?.trim() || `https://${stsHost(region)}/`;
  const { headers, body } = formOf({
    Action: "GetWebIdentityToken",
    Version: "2011-06-15",
    "Audience.member.1": audience,
    SigningAlgorithm: "RS256",
    DurationSeconds: TOKEN_SECONDS,
  });
  const signed = await sign({ credentials, region, url, headers, body });
  const request = { what: WHAT, advice: "Let this process reach it.", method: "POST", url, body } as const;
  const answer = await askPlatform({ ...request, headers: signed }, signal);
  const fields = parseObject(answer.body) ?? {};
  if (answer.status !== 200) throw refusalOf(answer.status, fields);
  const token = fieldsOf(
    fieldsOf(fields.GetWebIdentityTokenResponse).GetWebIdentityTokenResult,
  ).WebIdentityToken;
  if (typeof token === "string") return token;
  throw noToken(`${WHAT} gave an answer without a token.`);
}

async function sign({
  credentials,
  ...request
}: {
  readonly credentials: Omit<AwsSession, "endsAtMs">;
  readonly region: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}): Promise<Readonly<Record<string, string>>> {
  const { AwsV4Signer } = await import("aws4fetch");
  const headers = { ...request.headers, accept: "application/json" };
  const signer = new AwsV4Signer({ ...request, ...credentials, headers, method: "POST", service: "sts" });
  return Object.fromEntries((await signer.sign()).headers);
}

function refusalOf(status: number, fields: Readonly<Record<string, unknown>>) {
  const { Code: code } = fieldsOf(fields.Error);
  const known = typeof code === "string" ? advice[code] : undefined;
  const said = typeof code === "string" && /^\w{1,80}$/.test(code) ? ` (${code})` : "";
  return noToken(
    `${WHAT} gives this process no token${said}. ${known ?? "Look at the role that it is executed in."}`,
    status,
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

// The credentials that AWS gives what this process is executed on: by variables (Lambda), by the endpoint of a container (ECS, EKS Pod Identity), or by
// the metadata service of a machine (IMDSv2 alone). Looked up on 2026-11-29:
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html and …/feature-imds-credentials.html.

import { readFile } from "node:fs/promises";
import { parseObject } from "../../base/json.ts";
import type { AwsSession } from "../bedrock-key.ts";
import { noToken, type PlatformParts, type PlatformRequest, readPlatform } from "./platform-request.ts";

type Found = AwsSession & { readonly region: string };
type Environment = PlatformParts["environment"];

const ADVICE = "Give what this process is executed on a role, or unset MODEL_IDENTITY=aws.";
const CONTAINER_ADDRESS = "http://169.254.170.2";
/** Where credentials may be asked for in the clear: this machine, and the agents of ECS and EKS. */
const containerHosts: ReadonlySet<string> = new Set([
  "127.0.0.1",
  "localhost",
  "[::1]",
  "169.254.170.2",
  "169.254.170.23",
  "[fd00:ec2::23]",
]);
const TOKEN_SECONDS = "300";

/** Rejects with FederationError, or with the signal's reason. */
export async function awsCredentials({ environment, signal }: PlatformParts): Promise<Found> {
  const given = (name: string) => environment[name]?.trim() ?? "";
  const region = given("AWS_REGION") || given("AWS_DEFAULT_REGION");
  const accessKeyId = given("AWS_ACCESS_KEY_ID");
  const secretAccessKey = given("AWS_SECRET_ACCESS_KEY");
  if (accessKeyId !== "" && secretAccessKey !== "") {
    const sessionToken = given("AWS_SESSION_TOKEN");
    const session = sessionToken === "" ? {} : { sessionToken };
    // The platform replaces them with the process.
    const endsAtMs = Number.POSITIVE_INFINITY;
    return { accessKeyId, secretAccessKey, ...session, endsAtMs, region: named(region) };
  }
  const container = containerUrl(environment);
  if (container !== null) {
    const authorization = await containerToken(environment);
    const request: PlatformRequest = {
      what: "AWS's credentials endpoint",
      advice: ADVICE,
      url: container,
      headers: authorization === "" ? {} : { authorization },
    };
    return { ...credentialsIn(await readPlatform(request, signal)), region: named(region) };
  }
  return await ofMachine({ environment, region, signal });
}

function containerUrl(environment: Environment): string | null {
  const relative = environment.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI?.trim() ?? "";
  if (relative !== "") return CONTAINER_ADDRESS + relative;
  const full = environment.AWS_CONTAINER_CREDENTIALS_FULL_URI?.trim() ?? "";
  if (full === "") return null;
  const url = URL.canParse(full) ? new URL(full) : null;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && containerHosts.has(url.hostname)))
    return full;
  throw noToken(
    "AWS_CONTAINER_CREDENTIALS_FULL_URI has to be https, or an address of this machine or of the agent of ECS or EKS.",
  );
}

async function containerToken(environment: Environment): Promise<string> {
  const path = environment.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE?.trim() ?? "";
  if (path === "") return environment.AWS_CONTAINER_AUTHORIZATION_TOKEN?.trim() ?? "";
  return await readFile(path, "utf8").then(
    (token) => token.trim(),
    () => {
      throw noToken(
        `The file of AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, ${JSON.stringify(path)}, cannot be read.`,
      );
    },
  );
}

async function ofMachine({
  environment,
  region,
  signal,
}: {
  readonly environment: Environment;
  readonly region: string;
  readonly signal: AbortSignal | undefined;
}): Promise<Found> {
  const address = environment.AWS_EC2_METADATA_SERVICE_ENDPOINT?.trim() || "http://169.254.169.254";
  const base = { what: "The metadata service of AWS", advice: ADVICE };
  const token = await readPlatform(
    {
      ...base,
      method: "PUT",
      url: new URL("/latest/api/token", address).href,
      headers: { "x-aws-ec2-metadata-token-ttl-seconds": TOKEN_SECONDS },
    },
    signal,
  );
  const read = async (path: string) =>
    await readPlatform(
      {
        ...base,
        url: new URL(`/latest/meta-data/${path}`, address).href,
        headers: { "x-aws-ec2-metadata-token": token },
      },
      signal,
    );
  const [role = ""] = (await read("iam/security-credentials/")).split("\n");
  const found = credentialsIn(await read(`iam/security-credentials/${encodeURIComponent(role)}`));
  return { ...found, region: region === "" ? await read("placement/region") : region };
}

function credentialsIn(body: string): AwsSession {
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = parseObject(body) ?? {};
  if (typeof AccessKeyId !== "string" || typeof SecretAccessKey !== "string")
    throw noToken(`AWS gives this process no credentials. ${ADVICE}`);
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    ...(typeof Token === "string" ? { sessionToken: Token } : {}),
    endsAtMs: typeof Expiration === "string" ? Date.parse(Expiration) : Number.POSITIVE_INFINITY,
  };
}

function named(region: string): string {
  if (/^[a-z0-9-]+$/.test(region)) return region;
  throw noToken("MODEL_IDENTITY=aws needs the region whose STS is asked: set AWS_REGION.");
}

// What clouds have beside a machine or a container, on one loopback port: the metadata servers of Google Cloud, Azure and AWS, Azure's endpoint of
// applications, AWS's endpoint of containers, and the action of STS that gives a token for who calls it. Each refuses what the real one
// would: without its header, without its session token, or with another signature. It has met the clouds' own clients, and no cloud.

import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CloudName } from "../src/contract/models/clouds.ts";
import type { CloudFake, LentCredentials } from "./clouds/cloud.ts";
import type { TestIssuer } from "./issuer/issuer.ts";

export const PLATFORM_REGION = "eu-central-1";
const ROLE = "agents";
const role = {
  AccessKeyId: "ASIAEXAMPLE",
  SecretAccessKey: "secret-of-the-role",
  Token: "session-of-the-role",
};
/** What Azure's models are asked with. */
const foundryResources: readonly (string | null)[] = [
  "https://ai.azure.com",
  "https://cognitiveservices.azure.com",
];
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const MACHINE_SESSION = "machine-session";
const IDENTITY_HEADER = "header-of-the-application";
const CONTAINER_TOKEN = "token-of-the-container";

/** Each way by which a cloud gives a token. */
export const platformWays = [
  ["gcp", "metadata server"],
  ["azure", "metadata service"],
  ["azure", "application"],
  ["aws", "variables"],
  ["aws", "container"],
  ["aws", "machine"],
] as const;
export type PlatformWay = (typeof platformWays)[number];

type Answer = { readonly status: number; readonly body: string };

export class PlatformsFake {
  readonly #issuer: () => TestIssuer;
  readonly #server: Server;
  /** Of answers, oldest first: "GET /path 200". */
  readonly seen: string[] = [];
  /** What STS answers in the place of a token: the code of an error. */
  refusal: string | null = null;
  /** Whether this machine has an identity. */
  hasIdentity = true;
  /** The clouds whose models it may ask, and the time for which it is given what they take. */
  clouds: readonly CloudFake[] = [];
  lifeSeconds = 3600;
  readonly #lent: LentCredentials[] = [];

  private constructor(issuer: () => TestIssuer, server: Server) {
    this.#issuer = issuer;
    this.#server = server;
  }

  /** Of tokens: asked for with each of them. */
  static async start(issuer: () => TestIssuer): Promise<PlatformsFake> {
    const server = createServer();
    const fake = new PlatformsFake(issuer, server);
    server.on("request", (request, response) => void fake.#serve(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** As the cloud sets it for this process. */
  environment([platform, way]: PlatformWay): Readonly<Record<string, string>> {
    const { url } = this;
    if (platform === "gcp") return { GCE_METADATA_HOST: new URL(url).host };
    if (platform === "azure")
      return way === "application"
        ? { IDENTITY_ENDPOINT: `${url}/msi/token`, IDENTITY_HEADER }
        : { AZURE_POD_IDENTITY_AUTHORITY_HOST: url };
    const sts = { AWS_ENDPOINT_URL_STS: `${url}/`, AWS_REGION: PLATFORM_REGION };
    switch (way) {
      case "variables":
        return {
          ...sts,
          ...this.#variables(),
        };
      case "container":
        return {
          ...sts,
          AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/v1/credentials`,
          AWS_CONTAINER_AUTHORIZATION_TOKEN: CONTAINER_TOKEN,
        };
      default:
        return { AWS_ENDPOINT_URL_STS: `${url}/`, AWS_EC2_METADATA_SERVICE_ENDPOINT: url };
    }
  }

  /** Secrets that nobody but the process may see. */
  get secrets(): readonly string[] {
    const lent = this.#lent.flatMap((one) =>
      "accessToken" in one ? [one.accessToken] : [one.secretAccessKey, one.sessionToken],
    );
    return [role.SecretAccessKey, role.Token, MACHINE_SESSION, IDENTITY_HEADER, CONTAINER_TOKEN, ...lent];
  }

  #variables(): Readonly<Record<string, string>> {
    const { AccessKeyId, SecretAccessKey, Token } = this.#credentials();
    return {
      AWS_ACCESS_KEY_ID: AccessKeyId,
      AWS_SECRET_ACCESS_KEY: SecretAccessKey,
      AWS_SESSION_TOKEN: Token,
    };
  }

  /** Of the role, as an endpoint of AWS has them. */
  #credentials() {
    const lent = this.#lend("bedrock");
    if (lent === null || "accessToken" in lent)
      return { ...role, Expiration: new Date(Date.now() + this.lifeSeconds * 1000).toISOString() };
    const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token } = lent;
    return { AccessKeyId, SecretAccessKey, Token, Expiration: new Date(lent.expiresAtMs).toISOString() };
  }

  #lend(cloud: CloudName): LentCredentials | null {
    const lent = this.clouds.find(({ name }) => name === cloud)?.lend(this.lifeSeconds) ?? null;
    if (lent !== null) this.#lent.push(lent);
    return lent;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = this.#answer(request, Buffer.concat(chunks).toString());
    this.seen.push(`${request.method} ${request.url?.split("?")[0]} ${answer.status}`);
    const type = answer.body.startsWith("{") ? "application/json" : "text/plain";
    // Google's clients look for its header.
    response.writeHead(answer.status, { "content-type": type, "metadata-flavor": "Google" }).end(answer.body);
  }

  #answer({ method, url = "", headers }: IncomingMessage, body: string): Answer {
    const { pathname: path, searchParams: query } = new URL(url, this.url);
    const isMachine = headers["x-aws-ec2-metadata-token"] === MACHINE_SESSION;
    switch (`${method} ${path}`) {
      case "GET /computeMetadata/v1/instance/service-accounts/default/identity":
        if (headers["metadata-flavor"] !== "Google")
          return { status: 403, body: "Metadata-Flavor is missing" };
        return this.hasIdentity ? ok(this.#token(query.get("audience"))) : { status: 404, body: "none" };
      case "GET /computeMetadata/v1/instance/service-accounts/default/token":
        if (headers["metadata-flavor"] !== "Google")
          return { status: 403, body: "Metadata-Flavor is missing" };
        return this.hasIdentity ? this.#google(query.get("scopes")) : { status: 404, body: "none" };
      case "GET /metadata/identity/oauth2/token":
      // As Microsoft's client writes it.
      case "GET /metadata/identity/oauth2/token/":
        if (headers.metadata !== "true") return { status: 400, body: '{"error":"invalid_request"}' };
        return this.#azure(query.get("resource"));
      case "GET /msi/token":
      case "GET /msi/token/":
        if (headers["x-identity-header"] !== IDENTITY_HEADER) return { status: 401, body: "{}" };
        return this.#azure(query.get("resource"));
      case "GET /v1/credentials":
        return headers.authorization === CONTAINER_TOKEN ? ok(JSON.stringify(this.#credentials())) : denied;
      case "PUT /latest/api/token":
        return headers["x-aws-ec2-metadata-token-ttl-seconds"] === undefined ? denied : ok(MACHINE_SESSION);
      case "GET /latest/meta-data/iam/security-credentials/":
        return isMachine ? (this.hasIdentity ? ok(ROLE) : { status: 404, body: "" }) : denied;
      case `GET /latest/meta-data/iam/security-credentials/${ROLE}`:
        return isMachine ? ok(JSON.stringify(this.#credentials())) : denied;
      case "GET /latest/meta-data/placement/region":
        return isMachine ? ok(PLATFORM_REGION) : denied;
      case "POST /":
        return this.#sts(headers, body);
      default:
        return { status: 404, body: "" };
    }
  }

  #azure(resource: string | null): Answer {
    if (!this.hasIdentity)
      return { status: 400, body: '{"error":"invalid_request","error_description":"Identity not found"}' };
    const lent = foundryResources.includes(resource) ? this.#lend("foundry") : null;
    const endsAtMs = lent?.expiresAtMs ?? Date.now() + this.lifeSeconds * 1000;
    const expires = String(Math.floor(endsAtMs / 1000));
    return ok(
      JSON.stringify({
        access_token: lent !== null && "accessToken" in lent ? lent.accessToken : this.#token(resource),
        token_type: "Bearer",
        expires_on: expires,
        resource,
      }),
    );
  }

  #google(scopes: string | null): Answer {
    const lent = this.#lend("vertex");
    if (lent === null || !("accessToken" in lent) || !(scopes ?? SCOPE).split(",").includes(SCOPE))
      return { status: 400, body: '{"error":"invalid_scope"}' };
    const seconds = Math.floor((lent.expiresAtMs - Date.now()) / 1000);
    return ok(JSON.stringify({ access_token: lent.accessToken, expires_in: seconds, token_type: "Bearer" }));
  }

  #sts(headers: IncomingMessage["headers"], body: string): Answer {
    const error = (code: string) => ({
      status: code === "InvalidParameterValue" ? 400 : 403,
      body: JSON.stringify({ Error: { Type: "Sender", Code: code, Message: "refused" } }),
    });
    if (!isSigned(headers, body)) return error("SignatureDoesNotMatch");
    if (this.refusal !== null) return error(this.refusal);
    const form = Object.fromEntries(new URLSearchParams(body));
    const seconds = Number(form.DurationSeconds ?? 300);
    const isRight =
      form.Action === "GetWebIdentityToken" &&
      form.Version === "2011-06-15" &&
      ["RS256", "ES384"].includes(form.SigningAlgorithm ?? "") &&
      seconds >= 60 &&
      seconds <= 3600;
    const audience = form["Audience.member.1"];
    if (!isRight || audience === undefined) return error("InvalidParameterValue");
    const WebIdentityToken = this.#token(audience);
    const expires = new Date(Date.now() + seconds * 1000);
    if (headers.accept === "application/json")
      return ok(
        JSON.stringify({
          GetWebIdentityTokenResponse: {
            GetWebIdentityTokenResult: { WebIdentityToken, Expiration: expires.getTime() / 1000 },
          },
        }),
      );
    return ok(
      `<GetWebIdentityTokenResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetWebIdentityTokenResult><WebIdentityToken>${WebIdentityToken}</WebIdentityToken><Expiration>${expires.toISOString()}</Expiration></GetWebIdentityTokenResult></GetWebIdentityTokenResponse>`,
    );
  }

  #token(audience: string | null): string {
    const issuer = this.#issuer();
    return issuer.sign(issuer.githubClaims({ aud: audience ?? "", sub: "repo:service-account:agents" }));
  }
}

const denied: Answer = { status: 401, body: "" };

function ok(body: string): Answer {
  return { status: 200, body };
}

/** Signature Version 4, computed anew: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function isSigned(headers: IncomingMessage["headers"], body: string): boolean {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/sts\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    );
  if (parts === null) return false;
  const [, key, day = "", region = "", names = "", signature] = parts;
  const time = String(headers["x-amz-date"] ?? "");
  const isRole = key === role.AccessKeyId && headers["x-amz-security-token"] === role.Token;
  if (!isRole || region !== PLATFORM_REGION || !time.startsWith(day)) return false;
  const canonical = names.split(";").map((name) => `${name}:${String(headers[name] ?? "").trim()}\n`);
  const request = ["POST", "/", "", canonical.join(""), names, sha256(body)].join("\n");
  const scope = `${day}/${region}/sts/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(request)].join("\n");
  const hmac = (by: string | Buffer, what: string) => createHmac("sha256", by).update(what).digest();
  const signing = [region, "sts", "aws4_request"].reduce<Buffer>(
    (by, what) => hmac(by, what),
    hmac(`AWS4${role.SecretAccessKey}`, day),
  );
  return hmac(signing, text).toString("hex") === signature;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

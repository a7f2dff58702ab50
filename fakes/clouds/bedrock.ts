// AWS: a Security Token Service that verifies a web identity by its issuer's keys and evaluates a role's trust policy, and Amazon Bedrock,
// which decodes a short-term key, computes its signature again and evaluates the session's policy. Codes of refusals as published; looked up on
// 2026-11-29. The forms of Bedrock's error bodies below `/anthropic` and `/openai` are not published: they are those of the protocols.

import { createHash, createHmac, randomBytes } from "node:crypto";
import { readVerified } from "../model-house/subject-token.ts";
import {
  bearerOf,
  type CloudAnswer,
  type CloudExchange,
  type CloudFake,
  type CloudIssuer,
  type CloudRequest,
  formOf,
  json,
  keysBeside,
  subjects,
} from "./cloud.ts";
import { isAlike, isAssumable } from "./trust-documents.ts";

export const REGION = "us-east-1";
const ACCOUNT = "123456789012";
export const ROLE = `arn:aws:iam::${ACCOUNT}:role/agent-models`;
export const bedrockIdentifiers = { role_arn: ROLE, region: REGION } as const;

const STS = `sts.${REGION}.amazonaws.com`;
const RUNTIME = `bedrock-runtime.${REGION}.amazonaws.com`;
const MANTLE = `bedrock-mantle.${REGION}.api.aws`;
const EMPTY_HASH = createHash("sha256").update("").digest("hex");

export type BedrockSettings = {
  /** The issuer of the account's identity provider, and the audiences that it lists. */
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Conditions of the role's trust policy by the claims of the token. A `*` of StringLike matches any text. */
  readonly trust: Readonly<
    Partial<Record<"StringEquals" | "StringLike", Readonly<Record<string, readonly string[]>>>>
  >;
  /** The whole trust policy, in the place of `trust`, as an administrator writes it. */
  readonly policy: unknown;
  /** Actions that the role allows. */
  readonly allowed: readonly string[];
  readonly maxSessionSeconds: number;
  /** Of the sessions. Less than what AWS allows, so that a test sees one end. */
  readonly lifeSeconds: number | null;
  readonly isRegionActive: boolean;
  /** An answer of STS before anything is looked at. */
  readonly fails: { readonly status: number; readonly code: string } | null;
  /** Inference profiles, and ids for mantle. */
  readonly profiles: readonly string[];
  readonly models: readonly string[];
};

type Session = {
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  readonly expiresAtMs: number;
  /** Of the role and of the session's policy alike. */
  readonly allowed: readonly string[];
};

export function bedrockCloud(issuer: CloudIssuer, changes: Partial<BedrockSettings> = {}): CloudFake {
  const settings: BedrockSettings = {
    issuer: issuer.url,
    audiences: ["sts.amazonaws.com"],
    trust: { StringEquals: { aud: ["sts.amazonaws.com"], sub: subjects } },
    policy: null,
    allowed: ["bedrock:*", "bedrock-mantle:*"],
    maxSessionSeconds: 3600,
    lifeSeconds: null,
    isRegionActive: true,
    fails: null,
    profiles: ["us.anthropic.claude-x", "openai.gpt-x", "moonshotai.kimi-x"],
    models: ["anthropic.claude-x", "openai.gpt-x", "moonshotai.kimi-x"],
    ...changes,
  };
  const exchanges: CloudExchange[] = [];
  const refusedCalls: { host: string; why: string }[] = [];
  const sessions = new Map<string, Session>();

  const begin = (seconds: number, allowed: readonly string[]) => {
    const accessKeyId = `ASIA${randomBytes(10).toString("hex").toUpperCase().slice(0, 16)}`;
    const secretAccessKey = randomBytes(30).toString("base64");
    const sessionToken = randomBytes(300).toString("base64");
    const expiresAtMs = Math.floor(Date.now() / 1000) * 1000 + seconds * 1000;
    sessions.set(accessKeyId, { secretAccessKey, sessionToken, expiresAtMs, allowed });
    return { accessKeyId, secretAccessKey, sessionToken, expiresAtMs };
  };

  const assume = async (request: CloudRequest): Promise<CloudAnswer> => {
    const form = formOf(request) ?? {};
    const { WebIdentityToken: idToken = "", ...asked } = form;
    const note = (noted: Pick<CloudExchange, "status" | "reason"> & Partial<CloudExchange>) =>
      exchanges.push({
        cloud: "bedrock",
        idToken,
        accessToken: null,
        expiresAtMs: null,
        asked,
        secrets: [],
        ...noted,
      });
    const fault = settings.fails ?? (await faultOf(request, { form, settings, issuer }));
    if (fault !== null) {
      note({ status: fault.status, reason: fault.code });
      return inWire(request, fault.status, {
        Error: { Code: fault.code, Message: "message" in fault ? fault.message : "", Type: "Sender" },
        RequestId: randomBytes(8).toString("hex"),
      });
    }
    const { accessKeyId, secretAccessKey, sessionToken, expiresAtMs } = begin(
      settings.lifeSeconds ?? Number(form.DurationSeconds ?? 3600),
      actionsIn(form.Policy),
    );
    note({ status: 200, reason: null, expiresAtMs, secrets: [secretAccessKey, sessionToken] });
    const isJson = request.headers.accept === "application/json";
    return inWire(request, 200, {
      AssumeRoleWithWebIdentityResponse: {
        AssumeRoleWithWebIdentityResult: {
          Audience: settings.audiences[0] ?? "",
          AssumedRoleUser: {
            AssumedRoleId: `AROATEST:${form.RoleSessionName}`,
            Arn: `${ROLE.replace(":iam:", ":sts:").replace(":role/", ":assumed-role/")}/${form.RoleSessionName}`,
          },
          Credentials: {
            AccessKeyId: accessKeyId,
            SecretAccessKey: secretAccessKey,
            SessionToken: sessionToken,
            Expiration: isJson ? expiresAtMs / 1000 : new Date(expiresAtMs).toISOString(),
          },
        },
        ResponseMetadata: { RequestId: randomBytes(8).toString("hex") },
      },
    });
  };

  const ask = (request: CloudRequest): CloudAnswer => {
    const isAnthropic = request.path.startsWith("/anthropic/");
    const refuse = (status: number, type: string, message: string) => {
      refusedCalls.push({ host: request.host, why: `${type}: ${message}` });
      return json(
        status,
        isAnthropic ? { type: "error", error: { type, message } } : { error: { type, message, code: type } },
      );
    };
    const token = bearerOf(request);
    const session = sessionOf(token, sessions);
    if (typeof session === "string") return refuse(403, "AccessDeniedException", session);
    if (keysBeside(request).length > 0) return refuse(400, "ValidationException", "A key beside the token.");
    const own = exchanges.findLast(({ secrets }) => secrets.includes(session.sessionToken));
    if (own !== undefined && own.accessToken === null)
      exchanges[exchanges.indexOf(own)] = { ...own, accessToken: token };
    const isMantle = request.host === MANTLE;
    const needed = isMantle
      ? ["bedrock-mantle:CallWithBearerToken", "bedrock-mantle:CreateInference"]
      : ["bedrock:CallWithBearerToken", "bedrock:InvokeModelWithResponseStream"];
    const denied = needed.find(
      (action) => !isAllowed(action, session.allowed) || !isAllowed(action, settings.allowed),
    );
    if (denied !== undefined) {
      const message = `User: ${ROLE} is not authorized to perform: ${denied} because no identity-based policy allows the ${denied} action`;
      return refuse(403, "AccessDeniedException", message);
    }
    const path = request.path.replace(/\?.*$/, "");
    const resources = [
      "/anthropic/v1/messages",
      "/openai/v1/responses",
      isMantle ? "/v1/chat/completions" : "/openai/v1/chat/completions",
    ];
    if (request.method !== "POST" || !resources.includes(path))
      return refuse(404, "UnknownOperationException", `No ${path}.`);
    if (isAnthropic && request.headers["anthropic-version"] === undefined)
      return refuse(400, "invalid_request_error", "anthropic-version: header is required");
    const { model } = JSON.parse(request.body) as { model?: unknown };
    const here = isMantle ? settings.models : settings.profiles;
    if (!here.some((id) => id === model)) {
      if (!isMantle && settings.models.some((id) => id === model)) {
        const message = `Invocation of model ID ${model} with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.`;
        return refuse(400, "ValidationException", message);
      }
      return isMantle
        ? refuse(400, "invalid_request_error", `The model ${model} isn't supported on this route.`)
        : refuse(400, "ValidationException", "The provided model identifier is invalid.");
    }
    return { type: "model", path: path.replace(/^\/(?:anthropic|openai)/, ""), body: request.body };
  };

  return {
    name: "bedrock",
    hosts: [STS, RUNTIME, MANTLE],
    exchanges,
    refusedCalls,
    answer: async (request) => (request.host === STS ? await assume(request) : ask(request)),
    lend: (seconds) => begin(seconds, ["bedrock:*", "bedrock-mantle:*"]),
  };
}

type Fault = { readonly status: number; readonly code: string; readonly message: string };
type Given = {
  readonly form: Readonly<Record<string, string>>;
  readonly settings: BedrockSettings;
  readonly issuer: CloudIssuer;
};

async function faultOf(request: CloudRequest, { form, settings, issuer }: Given): Promise<Fault | null> {
  const invalid = (message: string): Fault => ({ status: 400, code: "ValidationError", message });
  if (
    request.method !== "POST" ||
    form.Action !== "AssumeRoleWithWebIdentity" ||
    form.Version !== "2011-06-15"
  )
    return { status: 400, code: "InvalidAction", message: "Could not find the operation." };
  if (request.headers.authorization !== undefined) return invalid("The operation is not signed.");
  const { RoleArn = "", RoleSessionName = "", DurationSeconds = "3600", Policy } = form;
  if (!settings.isRegionActive)
    return { status: 403, code: "RegionDisabledException", message: "STS is not activated in this region." };
  if (!/^arn:aws:iam::\d{12}:role\//.test(RoleArn)) return invalid("RoleArn is invalid.");
  if (!/^[\w+=,.@-]{2,64}$/.test(RoleSessionName)) return invalid("RoleSessionName is invalid.");
  const seconds = Number(DurationSeconds);
  if (!(seconds >= 900 && seconds <= settings.maxSessionSeconds))
    return invalid("The requested DurationSeconds exceeds the MaxSessionDuration set for this role.");
  if (Policy !== undefined && Policy.length > 2048)
    return { status: 400, code: "PackedPolicyTooLarge", message: "The policy is too large." };
  if (Policy !== undefined && actionsIn(Policy).length === 0)
    return { status: 400, code: "MalformedPolicyDocument", message: "Syntax errors in policy." };
  const wrong = (message: string): Fault => ({ status: 400, code: "InvalidIdentityToken", message });
  const claims = await readVerified(form.WebIdentityToken ?? "", issuer.jwksUri);
  if (claims === "not_a_jwt") return wrong("The ID Token provided is not a valid JWT.");
  if (claims.iss !== settings.issuer)
    return wrong(`No OpenIDConnect provider found in your account for ${claims.iss}`);
  if (!claims.isSigned) return wrong("Could not validate the signature of the token.");
  if (!(Number(claims.exp) * 1000 > Date.now()))
    return { status: 400, code: "ExpiredTokenException", message: "Token expired." };
  const audiences = [claims.aud].flat().map(String);
  if (!audiences.some((one) => settings.audiences.includes(one))) return wrong("Incorrect token audience");
  const denied = {
    status: 403,
    code: "AccessDenied",
    message: "Not authorized to perform sts:AssumeRoleWithWebIdentity",
  };
  if (RoleArn !== ROLE) return denied;
  if (settings.policy !== null)
    return isAssumable(settings.policy, { claims, account: ACCOUNT }) ? null : denied;
  const { StringEquals = {}, StringLike = {} } = settings.trust;
  const meets = (claim: string, wanted: readonly string[], isLike: boolean) =>
    [claims[claim]]
      .flat()
      .some((value) => wanted.some((one) => (isLike ? isAlike(String(value), one) : one === value)));
  const isTrusted =
    Object.entries(StringEquals).every(([claim, wanted]) => meets(claim, wanted, false)) &&
    Object.entries(StringLike).every(([claim, wanted]) => meets(claim, wanted, true));
  return isTrusted ? null : denied;
}

/** Actions that a policy allows on everything. No policy allows all. */
function actionsIn(policy: string | undefined): string[] {
  if (policy === undefined) return ["*"];
  try {
    const { Statement = [] } = JSON.parse(policy) as { Statement?: readonly Record<string, unknown>[] };
    return Statement.flatMap(({ Effect, Action }) => (Effect === "Allow" ? [Action].flat().map(String) : []));
  } catch {
    return [];
  }
}

function isAllowed(action: string, allowed: readonly string[]): boolean {
  return allowed.some((one) => isAlike(action, one));
}

/** Why a key opens nothing, or the session that made it. */
function sessionOf(token: string, sessions: ReadonlyMap<string, Session>): Session | string {
  const invalid = "Invalid API Key format: Must start with pre-defined prefix";
  if (!token.startsWith("bedrock-api-key-")) return invalid;
  const text = Buffer.from(token.slice("bedrock-api-key-".length), "base64").toString();
  const url = URL.parse(`https://${text}`);
  if (
    url === null ||
    url.host !== "bedrock.amazonaws.com" ||
    url.pathname !== "/" ||
    !text.endsWith("&Version=1")
  )
    return invalid;
  const query = url.searchParams;
  const [keyId = "", date = "", region = "", service = "", end = ""] = (
    query.get("X-Amz-Credential") ?? ""
  ).split("/");
  const session = sessions.get(keyId);
  if (session === undefined) return "The security token included in the request is invalid.";
  if (service !== "bedrock" || end !== "aws4_request")
    return "Credential should be scoped to correct service: 'bedrock'";
  if (region !== REGION) return `Credential should be scoped to a valid region: '${REGION}'`;
  if (query.get("Action") !== "CallWithBearerToken") return invalid;
  if (query.get("X-Amz-Security-Token") !== session.sessionToken)
    return "The security token included in the request is invalid.";
  const stamp = query.get("X-Amz-Date") ?? "";
  const expires = Number(query.get("X-Amz-Expires"));
  const madeAtMs = Date.parse(
    stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"),
  );
  if (!(expires > 0 && expires <= 43_200) || !stamp.startsWith(date)) return invalid;
  const now = Date.now();
  if (now > session.expiresAtMs || now > madeAtMs + expires * 1000 || now < madeAtMs - 300_000)
    return "Bearer Token has expired";
  return signatureOf(query, { stamp, region, session }) === query.get("X-Amz-Signature")
    ? session
    : "The request signature we calculated does not match the signature you provided.";
}

/** Signature Version 4 of the presigned request, without a library. */
function signatureOf(
  query: URLSearchParams,
  { stamp, region, session }: { readonly stamp: string; readonly region: string; readonly session: Session },
): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  const canonicalQuery = [...query]
    .filter(([name]) => name !== "X-Amz-Signature" && name !== "Version")
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
  const canonical = ["POST", "/", canonicalQuery, "host:bedrock.amazonaws.com\n", "host", EMPTY_HASH].join(
    "\n",
  );
  const date = stamp.slice(0, 8);
  const scope = `${date}/${region}/bedrock/aws4_request`;
  const hash = createHash("sha256").update(canonical).digest("hex");
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const key = [date, region, "bedrock", "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${session.secretAccessKey}`,
  );
  return hmac(key, ["AWS4-HMAC-SHA256", stamp, scope, hash].join("\n")).toString("hex");
}

/** In JSON where it is asked for, in XML otherwise. */
function inWire(request: CloudRequest, status: number, body: Readonly<Record<string, unknown>>): CloudAnswer {
  if (request.headers.accept === "application/json") return json(status, body);
  const [[name, inner] = ["", {}]] = status === 200 ? Object.entries(body) : [["ErrorResponse", body]];
  const text = `<${name} xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${xmlOf(inner)}</${name}>`;
  return { type: "text", status, contentType: "text/xml", body: text };
}

function xmlOf(value: unknown): string {
  if (typeof value !== "object" || value === null)
    return String(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return Object.entries(value)
    .map(([name, inner]) => `<${name}>${xmlOf(inner)}</${name}>`)
    .join("");
}

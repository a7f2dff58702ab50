// Google Cloud: a Security Token Service that verifies a subject token by its issuer's keys and evaluates the provider's condition, tokens of
// service accounts, and Vertex AI with Gemini and Claude. Codes of refusals as published; looked up on 2026-11-29.

import { randomBytes } from "node:crypto";
import { readVerified } from "../model-house/subject-token.ts";
import {
  bearerOf,
  type CloudAnswer,
  type CloudExchange,
  type CloudFake,
  type CloudIssuer,
  type CloudRequest,
  json,
  jsonOf,
  keysBeside,
  subjects,
} from "./cloud.ts";
import { isFederated, type PoolProvider } from "./trust-documents.ts";

const PROJECT_NUMBER = "481516234211";
export const PROVIDER = `projects/${PROJECT_NUMBER}/locations/global/workloadIdentityPools/ci-jobs/providers/github`;
export const PROJECT = "octo-models";
export const SERVICE_ACCOUNT = `agent@${PROJECT}.iam.gserviceaccount.com`;
export const vertexIdentifiers = {
  workload_identity_provider: PROVIDER,
  service_account: SERVICE_ACCOUNT,
  project_id: PROJECT,
} as const;

const STS = "sts.googleapis.com";
const ACCOUNTS = "iamcredentials.googleapis.com";
const GLOBAL = "aiplatform.googleapis.com";
const REGIONAL = "us-east5-aiplatform.googleapis.com";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";

export type VertexSettings = {
  readonly issuer: string;
  /** Beside the one that is allowed by default. */
  readonly audiences: readonly string[];
  /** What the provider's condition lets in. */
  readonly subjects: readonly string[];
  /** The provider as an administrator writes it, in the place of issuer, audiences and subjects. */
  readonly provider: PoolProvider | null;
  /** Whether the principal of the job may act as the service account. */
  readonly mayActAs: boolean;
  /** Who has the role on the project. */
  readonly hasRole: readonly ("principal" | "account")[];
  readonly isApiEnabled: boolean;
  readonly lifeSeconds: number;
  readonly models: readonly string[];
};

type Live = {
  readonly who: "principal" | "account";
  readonly expiresAtMs: number;
  /** Null: it was not exchanged. */
  readonly exchange: number | null;
};

export function vertexCloud(issuer: CloudIssuer, changes: Partial<VertexSettings> = {}): CloudFake {
  const settings: VertexSettings = {
    issuer: issuer.url,
    audiences: [],
    subjects,
    provider: null,
    mayActAs: true,
    hasRole: ["principal", "account"],
    isApiEnabled: true,
    lifeSeconds: 3599,
    models: ["gemini-x", "claude-x"],
    ...changes,
  };
  const exchanges: CloudExchange[] = [];
  const refusedCalls: { host: string; why: string }[] = [];
  const live = new Map<string, Live>();

  const exchange = async (request: CloudRequest): Promise<CloudAnswer> => {
    const fields = jsonOf(request) ?? Object.fromEntries(new URLSearchParams(request.body));
    const text = (camel: string, snake: string) => String(fields[camel] ?? fields[snake] ?? "");
    const idToken = text("subjectToken", "subject_token");
    const asked = { path: request.path, audience: text("audience", "audience") };
    const note = (noted: Pick<CloudExchange, "status" | "reason"> & Partial<CloudExchange>) =>
      exchanges.push({
        cloud: "vertex",
        idToken,
        accessToken: null,
        expiresAtMs: null,
        asked,
        secrets: [],
        ...noted,
      });
    const fault = await faultOf(request, { text, settings, issuer });
    if (fault !== null) {
      const { status, error, said } = fault;
      note({ status, reason: `${error}: ${said}` });
      return json(status, { error, error_description: said });
    }
    const accessToken = `ya29.d.${randomBytes(200).toString("base64url")}`;
    const expiresAtMs = Date.now() + settings.lifeSeconds * 1000;
    note({ status: 200, reason: null, accessToken, expiresAtMs });
    live.set(accessToken, { who: "principal", expiresAtMs, exchange: exchanges.length - 1 });
    return json(200, {
      access_token: accessToken,
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: settings.lifeSeconds,
    });
  };

  const googleError = (status: number, code: string, message: string): CloudAnswer =>
    json(status, { error: { code: status, message, status: code } });

  const actAs = (request: CloudRequest): CloudAnswer => {
    const known = live.get(bearerOf(request));
    const at = known?.exchange ?? exchanges.length;
    const own = exchanges.at(at);
    const refuse = (status: number, code: string, message: string) => {
      if (own !== undefined) exchanges[at] = { ...own, status, reason: code };
      return googleError(status, code, message);
    };
    if (known === undefined || own === undefined || known.expiresAtMs <= Date.now())
      return refuse(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
    const account = /^\/v1\/projects\/-\/serviceAccounts\/([^/]+):generateAccessToken$/.exec(
      decodeURIComponent(request.path),
    )?.[1];
    if (request.method !== "POST" || account === undefined) return refuse(404, "NOT_FOUND", "Not found.");
    const { scope, lifetime } = jsonOf(request) ?? {};
    if (![scope].flat().includes(SCOPE) || !/^\d{1,4}s$/.test(String(lifetime ?? "3600s")))
      return refuse(400, "INVALID_ARGUMENT", "Request contains an invalid argument.");
    if (!settings.isApiEnabled)
      return refuse(
        403,
        "PERMISSION_DENIED",
        "IAM Service Account Credentials API has not been used in project before or it is disabled.",
      );
    if (account !== SERVICE_ACCOUNT)
      return refuse(404, "NOT_FOUND", "Not found; Gaia id not found for email.");
    if (!settings.mayActAs)
      return refuse(
        403,
        "PERMISSION_DENIED",
        "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).",
      );
    const accessToken = `ya29.c.${randomBytes(200).toString("base64url")}`;
    const expiresAtMs = Date.now() + settings.lifeSeconds * 1000;
    live.set(accessToken, { who: "account", expiresAtMs, exchange: at });
    const first = own.accessToken ?? "";
    exchanges[at] = { ...own, accessToken, expiresAtMs, secrets: [...own.secrets, first] };
    return json(200, { accessToken, expireTime: new Date(expiresAtMs).toISOString() });
  };

  const ask = (request: CloudRequest): CloudAnswer => {
    const refuse = (status: number, code: string, message: string) => {
      refusedCalls.push({ host: request.host, why: `${code}: ${message}` });
      return googleError(status, code, message);
    };
    const known = live.get(bearerOf(request));
    if (known === undefined || known.expiresAtMs <= Date.now())
      return refuse(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
    if (keysBeside(request).length > 0) return refuse(400, "INVALID_ARGUMENT", "API key not valid here.");
    const [path = "", query] = request.path.split("?");
    const found =
      /^\/v1\/projects\/([^/]+)\/locations\/([^/]+)\/publishers\/(google|anthropic)\/models\/([^/:]+):(\w+)$/.exec(
        path,
      );
    if (request.method !== "POST" || found === null) return refuse(404, "NOT_FOUND", `No ${path}.`);
    const [, project, location, publisher, model = "", method = ""] = found;
    const place = request.host === GLOBAL ? "global" : "us-east5";
    if (project !== PROJECT || !settings.hasRole.includes(known.who))
      return refuse(
        403,
        "PERMISSION_DENIED",
        `Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com${path}' (or it may not exist).`,
      );
    if (location !== place)
      return refuse(400, "INVALID_ARGUMENT", `The location ${location} is not of this host.`);
    const isClaude = model.startsWith("claude-");
    if (!settings.models.includes(model) || isClaude !== (publisher === "anthropic"))
      return refuse(
        404,
        "NOT_FOUND",
        `Publisher Model \`${path}\` was not found or your project does not have access to it.`,
      );
    const suffix = query === undefined ? "" : `?${query}`;
    if (!isClaude) {
      if (!/^(?:stream)?[gG]enerateContent$/.test(method)) return refuse(404, "NOT_FOUND", `No ${method}.`);
      return { type: "model", path: `/v1beta/models/${model}:${method}${suffix}`, body: request.body };
    }
    const { anthropic_version: version, ...fields } = jsonOf(request) ?? {};
    if (version !== "vertex-2023-10-16")
      return refuse(400, "INVALID_ARGUMENT", "anthropic_version: Field required");
    if ("model" in fields) return refuse(400, "INVALID_ARGUMENT", "model: Extra inputs are not permitted");
    if (method !== (fields.stream === true ? "streamRawPredict" : "rawPredict"))
      return refuse(400, "INVALID_ARGUMENT", `${method} is not for this request.`);
    return { type: "model", path: "/v1/messages", body: JSON.stringify({ ...fields, model }) };
  };

  return {
    name: "vertex",
    hosts: [STS, ACCOUNTS, GLOBAL, REGIONAL],
    exchanges,
    refusedCalls,
    answer: async (request) => {
      if (request.host === STS) return await exchange(request);
      return request.host === ACCOUNTS ? actAs(request) : ask(request);
    },
    lend: (seconds) => {
      const accessToken = `ya29.c.${randomBytes(200).toString("base64url")}`;
      const expiresAtMs = Date.now() + seconds * 1000;
      live.set(accessToken, { who: "account", expiresAtMs, exchange: null });
      return { accessToken, expiresAtMs };
    },
  };
}

type Fault = { readonly status: number; readonly error: string; readonly said: string };

async function faultOf(
  request: CloudRequest,
  {
    text,
    settings,
    issuer,
  }: {
    readonly text: (camel: string, snake: string) => string;
    readonly settings: VertexSettings;
    readonly issuer: CloudIssuer;
  },
): Promise<Fault | null> {
  const fault = (error: string, said: string): Fault => ({ status: 400, error, said });
  if (request.method !== "POST" || request.path !== "/v1/token")
    return fault("invalid_request", "Not found.");
  if (request.headers.authorization !== undefined)
    return fault("invalid_request", "Request had a credential in its header.");
  if (text("grantType", "grant_type") !== "urn:ietf:params:oauth:grant-type:token-exchange")
    return fault("unsupported_grant_type", "Invalid grant type.");
  if (text("subjectTokenType", "subject_token_type") !== "urn:ietf:params:oauth:token-type:jwt")
    return fault("invalid_request", "Invalid subject token type.");
  if (text("requestedTokenType", "requested_token_type") !== "urn:ietf:params:oauth:token-type:access_token")
    return fault("invalid_request", "Invalid requested token type.");
  if (text("scope", "scope") !== SCOPE) return fault("invalid_scope", "Some requested scopes were invalid.");
  if (text("audience", "audience") !== `//iam.googleapis.com/${PROVIDER}`)
    return fault(
      "invalid_target",
      'The target service indicated by the "audience" parameters is invalid. This might either be because the pool or provider is disabled or deleted or because it doesn\'t exist.',
    );
  const claims = await readVerified(text("subjectToken", "subject_token"), issuer.jwksUri);
  if (claims === "not_a_jwt") return fault("invalid_request", "Unable to parse the ID Token.");
  if (claims.iss !== (settings.provider?.oidc.issuerUri ?? settings.issuer))
    return fault("invalid_grant", `The issuer in ID Token ${claims.iss} does not match the expected ones.`);
  if (!claims.isSigned) return fault("invalid_grant", "Invalid JWT signature.");
  if (!(Number(claims.exp) * 1000 > Date.now()))
    return fault("invalid_grant", "ID Token is stale to sign-in.");
  const named = settings.provider?.oidc.allowedAudiences ?? settings.audiences;
  const allowed = named.length > 0 ? named : [`https://iam.googleapis.com/${PROVIDER}`];
  if (![claims.aud].flat().some((one) => allowed.includes(String(one))))
    return fault(
      "invalid_grant",
      `The audience in ID Token [${claims.aud}] does not match the expected audience.`,
    );
  const isLetIn =
    settings.provider === null
      ? settings.subjects.includes(String(claims.sub))
      : isFederated(settings.provider, claims);
  if (!isLetIn)
    return {
      status: 401,
      error: "unauthorized_client",
      said: "The given credential is rejected by the attribute condition.",
    };
  return null;
}

// Microsoft Entra ID and a Foundry resource: a client assertion is verified by its issuer's keys and matched with the federated credentials
// of an application; models are answered by deployment to whoever has the role. Codes of refusals as published; looked up on 2026-11-29.

import { randomBytes, randomUUID } from "node:crypto";
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

export const TENANT = "5f3c2a1b-0d4e-4f6a-8b7c-9d0e1f2a3b4c";
export const CLIENT = "1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d";
export const RESOURCE = "octo-models";
/** As inputs, flags and the fields of an exchange have them. */
export const foundryIdentifiers = { tenant_id: TENANT, client_id: CLIENT, resource: RESOURCE } as const;

const LOGIN = "login.microsoftonline.com";
const AUDIENCE = "api://AzureADTokenExchange";
const scopes = ["https://ai.azure.com/.default", "https://cognitiveservices.azure.com/.default"];

export type FoundrySettings = {
  /** Of the federated credentials of the application. */
  readonly subjects: readonly string[];
  readonly issuer: string;
  readonly audience: string;
  readonly isDisabled: boolean;
  /** Whether the application has a role on the resource. */
  readonly hasRole: boolean;
  /** Scopes that the tenant knows. */
  readonly scopes: readonly string[];
  readonly deployments: readonly string[];
  readonly lifeSeconds: number;
};

type Live = { readonly expiresAtMs: number };

export function foundryCloud(issuer: CloudIssuer, changes: Partial<FoundrySettings> = {}): CloudFake {
  const settings: FoundrySettings = {
    subjects,
    issuer: issuer.url,
    audience: AUDIENCE,
    isDisabled: false,
    hasRole: true,
    scopes,
    deployments: ["claude-x", "gpt-x", "grok-x"],
    lifeSeconds: 3599,
    ...changes,
  };
  const exchanges: CloudExchange[] = [];
  const refusedCalls: { host: string; why: string }[] = [];
  const live = new Map<string, Live>();
  const hosts = [LOGIN, `${RESOURCE}.openai.azure.com`, `${RESOURCE}.services.ai.azure.com`];

  const give = (seconds: number) => {
    const accessToken = `eyJ0eXAiOiJKV1QifQ.${randomBytes(400).toString("base64url")}.${randomBytes(64).toString("base64url")}`;
    const expiresAtMs = Date.now() + seconds * 1000;
    live.set(accessToken, { expiresAtMs });
    return { accessToken, expiresAtMs };
  };

  const exchange = async (request: CloudRequest): Promise<CloudAnswer> => {
    const form = formOf(request) ?? {};
    const { client_assertion: idToken = "", ...fields } = form;
    const asked = { path: request.path, ...fields };
    const note = (noted: Pick<CloudExchange, "status" | "reason"> & Partial<CloudExchange>) =>
      exchanges.push({
        cloud: "foundry",
        idToken,
        accessToken: null,
        expiresAtMs: null,
        asked,
        secrets: [],
        ...noted,
      });
    const fault = await faultOf(request, { form, settings, issuer });
    if (fault !== null) {
      note({ status: fault.status, reason: `AADSTS${fault.code}` });
      return json(fault.status, entraError(fault));
    }
    const { accessToken, expiresAtMs } = give(settings.lifeSeconds);
    note({ status: 200, reason: null, accessToken, expiresAtMs });
    return json(200, {
      token_type: "Bearer",
      expires_in: settings.lifeSeconds,
      ext_expires_in: settings.lifeSeconds,
      access_token: accessToken,
    });
  };

  const ask = (request: CloudRequest): CloudAnswer => {
    const refuse = (status: number, code: string, message: string) => {
      refusedCalls.push({ host: request.host, why: code });
      return json(status, { error: { code, message } });
    };
    const known = live.get(bearerOf(request));
    if (known === undefined || known.expiresAtMs <= Date.now() || keysBeside(request).length > 0)
      return refuse(401, "401", "Access denied due to invalid subscription key or wrong API endpoint.");
    if (!settings.hasRole)
      return refuse(
        401,
        "PermissionDenied",
        "The principal lacks the required data action to perform the POST.",
      );
    const path = request.path.replace(/\?.*$/, "");
    const isClaudes = request.host.endsWith(".services.ai.azure.com");
    const resources = isClaudes
      ? ["/anthropic/v1/messages"]
      : ["/openai/v1/responses", "/openai/v1/chat/completions"];
    if (request.method !== "POST" || !resources.includes(path))
      return refuse(404, "404", "Resource not found");
    if (isClaudes && request.headers["anthropic-version"] !== "2023-06-01")
      return refuse(400, "invalid_request_error", "anthropic-version: header is required");
    const { model } = JSON.parse(request.body) as { model?: unknown };
    const isDeployed = settings.deployments.some((name) => name === model);
    if (!isDeployed || String(model).includes("claude") !== isClaudes)
      return refuse(404, "DeploymentNotFound", "The API deployment for this resource does not exist.");
    return { type: "model", path: path.replace(/^\/(?:anthropic|openai)/, ""), body: request.body };
  };

  return {
    name: "foundry",
    hosts,
    exchanges,
    refusedCalls,
    answer: async (request) => (request.host === LOGIN ? await exchange(request) : ask(request)),
    lend: give,
  };
}

type Fault = {
  readonly status: number;
  readonly error: string;
  readonly code: number;
  readonly text: string;
};

type Given = {
  readonly form: Readonly<Record<string, string>>;
  readonly settings: FoundrySettings;
  readonly issuer: CloudIssuer;
};

/** In the order in which Entra looks. */
async function faultOf(request: CloudRequest, { form, settings, issuer }: Given): Promise<Fault | null> {
  const invalid = (code: number, text: string): Fault => ({
    status: 400,
    error: "invalid_request",
    code,
    text,
  });
  const refused = (code: number, text: string): Fault => ({
    status: 401,
    error: "invalid_client",
    code,
    text,
  });
  const tenant = /^\/([^/]+)\/oauth2\/v2\.0\/token$/.exec(request.path.replace(/\?.*$/, ""))?.[1];
  if (request.method !== "POST" || tenant === undefined) return invalid(900144, "The endpoint is unknown.");
  if (tenant.toLowerCase() !== TENANT) return invalid(90002, `Tenant '${tenant}' not found.`);
  if (request.headers.authorization !== undefined)
    return invalid(90014, "A credential is not in a header here.");
  if (form.grant_type !== "client_credentials")
    return { ...invalid(70003, "The grant is unsupported."), error: "unsupported_grant_type" };
  if (form.client_assertion_type !== "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
    return invalid(90014, "The field 'client_assertion_type' is missing or unknown.");
  if (form.client_id?.toLowerCase() !== CLIENT)
    return {
      ...invalid(700016, `Application with identifier '${form.client_id}' was not found.`),
      error: "unauthorized_client",
    };
  if (settings.isDisabled)
    return { ...invalid(7000112, `Application '${CLIENT}' is disabled.`), error: "unauthorized_client" };
  const scope = form.scope ?? "";
  if (!scopes.includes(scope))
    return { ...invalid(70011, "The provided value for 'scope' is not valid."), error: "invalid_scope" };
  if (!settings.scopes.includes(scope))
    return {
      ...invalid(500011, `The resource principal named ${scope} was not found.`),
      error: "invalid_resource",
    };
  const claims = await readVerified(form.client_assertion ?? "", issuer.jwksUri);
  if (claims === "not_a_jwt") return refused(50027, "JWT token is invalid or malformed.");
  if (claims.iss !== settings.issuer)
    return refused(
      700211,
      `No matching federated identity record found for presented assertion issuer '${claims.iss}'.`,
    );
  if (claims.isSigned !== true) return refused(5002738, "Invalid JWT token signature.");
  const now = Date.now() / 1000;
  if (!(Number(claims.exp) > now) || Number(claims.nbf ?? 0) > now)
    return refused(700024, "Client assertion is not within its valid time range.");
  const subject = String(claims.sub);
  if (!settings.subjects.includes(subject)) {
    const isCase = settings.subjects.some((one) => one.toLowerCase() === subject.toLowerCase());
    return refused(
      isCase ? 7002138 : 700213,
      `No matching federated identity record found for presented assertion subject '${subject}'.`,
    );
  }
  if (![claims.aud].flat().includes(settings.audience))
    return refused(
      700212,
      `No matching federated identity record found for presented assertion audience '${claims.aud}'.`,
    );
  return null;
}

function entraError({ error, code, text }: Fault): unknown {
  const trace = randomUUID();
  const timestamp = new Date().toISOString();
  return {
    error,
    error_description: `AADSTS${code}: ${text} Trace ID: ${trace} Correlation ID: ${randomUUID()} Timestamp: ${timestamp}`,
    error_codes: [code],
    timestamp,
    trace_id: trace,
    error_uri: `https://login.microsoftonline.com/error?code=${code}`,
  };
}

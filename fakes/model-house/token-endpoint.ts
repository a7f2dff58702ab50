// The token endpoint of each provider: which request it reads, and in which words it refuses. As published; looked up on
// 2026-11-22. What is not published is strict: a field too many is a fault.

import type { IncomingHttpHeaders } from "node:http";
import type { HiddenReason } from "./subject-token.ts";
import type { House } from "./trust.ts";

export type ExchangeRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type ReadRequest =
  | { readonly ok: true; readonly token: string; readonly identifiers: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string };

export type TokenEndpoint = {
  readonly host: string;
  readonly path: string;
  readonly apiHost: string;
  /** What stands before `/v1` of the API. */
  readonly apiPrefix: string;
  read(request: ExchangeRequest): ReadRequest;
  malformed(message: string): { readonly status: number; readonly body: unknown };
  refused(reason: HiddenReason): { readonly status: number; readonly body: unknown };
  granted(token: string, seconds: number): unknown;
  makeToken(random: string): string;
};

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT = "urn:ietf:params:oauth:token-type:jwt";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

export const tokenEndpoints: Readonly<Record<House, TokenEndpoint>> = {
  anthropic: {
    host: "api.anthropic.com",
    path: "/v1/oauth/token",
    apiHost: "api.anthropic.com",
    apiPrefix: "",
    read: ({ headers, body }) => {
      const betas = String(headers["anthropic-beta"] ?? "").split(/\s*,\s*/);
      if (!betas.includes("oauth-2025-04-20") || !betas.includes("oidc-federation-2026-04-01"))
        return fault("anthropic-beta: oauth-2025-04-20 and oidc-federation-2026-04-01 are required");
      const fields = jsonOf(headers, body);
      if (fields === null) return fault("The body must be JSON.");
      const { grant_type, assertion, ...identifiers } = fields;
      if (grant_type !== "urn:ietf:params:oauth:grant-type:jwt-bearer") return fault("grant_type is unknown");
      const forms: Record<string, RegExp> = {
        federation_rule_id: /^fdrl_/,
        organization_id: /^[0-9a-f-]{36}$/,
        service_account_id: /^svac_/,
        workspace_id: /^(wrkspc_|default$)/,
      };
      for (const [name, value] of Object.entries(identifiers)) {
        const form = forms[name];
        if (form === undefined) return fault(`${name}: Extra inputs are not permitted`);
        if (!form.test(value)) return fault(`${name} is not a well-formed tagged ID`);
      }
      return assertion === undefined
        ? fault("assertion is required")
        : { ok: true, token: assertion, identifiers };
    },
    malformed: (message) => ({
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", message } },
    }),
    refused: () => ({
      status: 401,
      body: { error: { type: "authentication_error", message: "Authentication failed" } },
    }),
    granted: (access_token, expires_in) => ({
      access_token,
      token_type: "Bearer",
      expires_in,
      scope: "workspace:developer",
    }),
    makeToken: (random) => `sk-ant-oat01-${random}`,
  },
  openai: {
    host: "auth.openai.com",
    path: "/oauth/token",
    apiHost: "api.openai.com",
    apiPrefix: "",
    read: ({ headers, body }) => {
      const fields = jsonOf(headers, body);
      if (fields === null) return fault("The body must be JSON.");
      return readExchange(fields, ["identity_provider_id", "service_account_id"]);
    },
    malformed: (error_description) => ({
      status: 400,
      body: { error: "invalid_request", error_description },
    }),
    refused: (reason) =>
      reason === "account_disabled"
        ? { status: 403, body: { error: "access_denied", error_description: "Identity was rejected." } }
        : {
            status: 401,
            body: { error: "invalid_grant", error_description: "The subject token is invalid" },
          },
    granted: (access_token, expires_in) => ({
      access_token,
      issued_token_type: ACCESS_TOKEN,
      token_type: "Bearer",
      // An hour need not be said.
      ...(expires_in === 3600 ? {} : { expires_in }),
    }),
    makeToken: (random) => `oat_${random}`,
  },
  openrouter: {
    host: "openrouter.ai",
    path: "/api/v1/oauth/token",
    apiHost: "openrouter.ai",
    apiPrefix: "/api",
    read: ({ headers, body }) => {
      if (headers["content-type"] !== "application/x-www-form-urlencoded")
        return fault("The body must be a form.");
      if (body.length > 32 * 1024) return fault("The body is too large.");
      return readExchange(Object.fromEntries(new URLSearchParams(body)), ["federation_policy_id"]);
    },
    malformed: (error_description) => ({
      status: 400,
      body: { error: "invalid_request", error_description },
    }),
    refused: () => ({
      status: 400,
      body: { error: "invalid_grant", error_description: "The subject token was not accepted" },
    }),
    granted: (access_token, expires_in) => ({
      access_token,
      issued_token_type: ACCESS_TOKEN,
      token_type: "Bearer",
      expires_in,
      scope: "inference",
    }),
    makeToken: (random) => `eyJ0eXAiOiJhdCtqd3QifQ.${random}.c2ln`,
  },
};

function readExchange(fields: Readonly<Record<string, string>>, names: readonly string[]): ReadRequest {
  const { grant_type, subject_token, subject_token_type, ...identifiers } = fields;
  if (grant_type !== TOKEN_EXCHANGE) return fault("grant_type is unknown");
  if (subject_token_type !== JWT) return fault("subject_token_type is unknown");
  if (subject_token === undefined) return fault("subject_token is missing");
  const [extra] = Object.keys(identifiers).filter((name) => !names.includes(name));
  if (extra !== undefined) return fault(`${extra} is unknown`);
  const missing = names.find((name) => !identifiers[name]);
  if (missing !== undefined) return fault(`${missing} is missing`);
  return { ok: true, token: subject_token, identifiers };
}

function jsonOf(headers: IncomingHttpHeaders, body: string): Readonly<Record<string, string>> | null {
  if (headers["content-type"] !== "application/json") return null;
  const value: unknown = JSON.parse(body);
  return typeof value === "object" && value !== null ? ({ ...value } as Record<string, string>) : null;
}

function fault(message: string): ReadRequest {
  return { ok: false, message };
}

// The token exchange of RFC 8693, shared by the providers that use it. Pure.

import { assertNever } from "../base/assert-never.ts";
import type { FederationReason } from "./federation-error.ts";
import type { ExchangeParts, ExchangeRefusal, ExchangeStep, Granted, TokenExchange } from "./provider.ts";

export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";

/** The errors of RFC 6749 §5.2 and RFC 8693 §2.2.2 that say more than that the exchange is refused. */
const told = ["invalid_request", "unsupported_grant_type", "invalid_scope", "invalid_target"] as const;

/** By the code, and where there is none that tells, by the status. */
export function reasonOfOauth({ status, error }: ExchangeRefusal): FederationReason {
  const code = told.find((known) => known === error);
  switch (code) {
    case "invalid_request":
    case "unsupported_grant_type":
    case "invalid_scope":
      return "federation_request_invalid";
    case "invalid_target":
      return "federation_audience_refused";
    case undefined:
      break;
    default:
      return assertNever(code);
  }
  if (status === 404) return "federation_identifier_unknown";
  return status === 403 ? "federation_account_refused" : "federation_refused";
}

/** An exchange of one request, whose answer has the fields of RFC 6749 §5.1. */
export function oneStep(
  request: (parts: Pick<ExchangeParts, "idToken" | "identifiers">) => ExchangeStep,
): Pick<TokenExchange, "exchange"> {
  return { exchange: async ({ send, ...parts }) => grantedBy(await send(request(parts))) };
}

export function grantedBy(answer: Readonly<Record<string, unknown>>): Granted {
  const { access_token: accessToken, token_type: type, expires_in: expiresInSeconds } = answer;
  return { accessToken, type, expiresInSeconds };
}

/** A body as a form, with its header. */
export function formOf(fields: Readonly<Record<string, string>>): Pick<ExchangeStep, "headers" | "body"> {
  return {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  };
}

/** A body as JSON, with its header. */
export function jsonOf(fields: Readonly<Record<string, unknown>>): Pick<ExchangeStep, "headers" | "body"> {
  return { headers: { "content-type": "application/json" }, body: JSON.stringify(fields) };
}

// The token exchange of RFC 8693, shared by the providers that use it. Pure.

import { assertNever } from "../base/assert-never.ts";
import type { FederationReason } from "./federation-error.ts";
import type { ExchangeRefusal } from "./provider.ts";

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

// A request that the proxy does not pass on, or cannot. The message is for the agent: what, and what to do. No secrets.

import { assertNever } from "../../../../../base/assert-never.ts";
import type { CodingAgentWire } from "../../../../../contract/models/protocols.ts";

export class ProxyRefusal extends Error {
  override readonly name = "ProxyRefusal";
  readonly code = "proxy_refusal";
  readonly status: number;
  /** Of the request's body; null where the fault is none of a field's. */
  readonly field: string | null;

  constructor(status: number, message: string, field: string | null = null) {
    super(message);
    this.status = status;
    this.field = field;
  }

  /** As the clients of the protocol read an error. */
  body(wire: CodingAgentWire): string {
    return JSON.stringify(errorOf(wire, this));
  }
}

function errorOf(wire: CodingAgentWire, { status, message, field }: ProxyRefusal): object {
  switch (wire) {
    case "anthropic":
      return { type: "error", error: { type: kindOf(status), message } };
    case "openai-compatible":
    case "copilot":
      return { error: { type: kindOf(status), code: "proxy_refusal", param: field, message } };
    case "gemini":
      return { error: { code: status, status: googleStatuses[status] ?? "INTERNAL", message } };
    default:
      return assertNever(wire);
  }
}

const kinds: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
};

function kindOf(status: number): string {
  return kinds[status] ?? (status < 500 ? "invalid_request_error" : "api_error");
}

const googleStatuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  502: "UNAVAILABLE",
};

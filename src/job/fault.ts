// The meaning of an error for a job, as data. The errors' classes are told apart here alone: the verdict is reached in another
// bundle, which has classes of its own. Pure.

import { IdentityError } from "../ci/provider.ts";
import { ApiError, ClientError, ConnectionError, DecodeError } from "../client/errors.ts";
import { FederationError } from "../federation/federation-error.ts";
import { StepError } from "./step-error.ts";

export type Fault =
  /** The job has no identity that the service would take. */
  | { readonly type: "no_identity"; readonly code: IdentityError["code"]; readonly message: string }
  /** The service said no. */
  | { readonly type: "refused"; readonly refusal: ApiError }
  /** No answer of the service came. */
  | { readonly type: "unavailable"; readonly message: string }
  /** The message says what to change. */
  | {
      readonly type: "told";
      readonly conclusion: "failure" | "skipped";
      readonly code: string;
      readonly message: string;
    }
  | { readonly type: "unexpected"; readonly detail: string };

export function faultOf(error: unknown): Fault {
  if (error instanceof IdentityError)
    return { type: "no_identity", code: error.code, message: error.message };
  if (error instanceof ApiError) return { type: "refused", refusal: error };
  if (error instanceof ClientError && error.code === "certificate_refused") return failure(error);
  if (error instanceof ConnectionError || isServiceFault(error))
    return { type: "unavailable", message: error.message };
  if (StepError.is(error)) {
    const { conclusion, code, message } = error;
    return { type: "told", conclusion, code, message };
  }
  if (FederationError.is(error) || error instanceof ClientError) return failure(error);
  return {
    type: "unexpected",
    detail: error instanceof Error ? `${error.name}: ${error.message}` : "unknown",
  };
}

function failure({ code, message }: { readonly code: string; readonly message: string }): Fault {
  return { type: "told", conclusion: "failure", code, message };
}

/** Another server's answer: the page of a proxy, or of a gateway whose service is down. */
function isServiceFault(error: unknown): error is DecodeError {
  return error instanceof DecodeError && (error.status >= 500 || error.contentType.includes("html"));
}

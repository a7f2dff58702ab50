// A failed call of the client, in a sentence. Pure.

import { ApiError, ClientError } from "../client/errors.ts";

/** The text of a failure of the service or of the way to it. What is no failure of a call is thrown on: it is a bug. */
export function failureText(cause: unknown): string {
  if (cause instanceof ApiError) {
    return `The service answered ${cause.status} (${cause.code}): ${cause.message} (request ${cause.requestId})`;
  }
  if (cause instanceof ClientError) return cause.message;
  throw cause;
}

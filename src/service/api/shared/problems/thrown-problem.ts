// What a caller is told of something that was thrown. The cause is for the log alone. Pure.

import { StoreUnavailableError } from "../../../core/ports/store-unavailable.ts";
import type { PublicProblem } from "./public-problem.ts";

export function problemOfThrown(cause: unknown): PublicProblem {
  if (cause instanceof StoreUnavailableError) {
    return {
      status: 503,
      code: "unavailable",
      message: "The service's store cannot answer now. Try again in a moment.",
      retryAfterSeconds: cause.retryAfterSeconds,
    };
  }
  return { status: 500, code: "internal", message: "internal error" };
}

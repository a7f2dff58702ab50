// What a caller is told of something that was thrown. The cause is for the log alone. Pure.

import { BlobStoreError } from "../../../core/ports/blobs.ts";
import { StorageFullError } from "../../../core/ports/storage-full.ts";
import { StoreUnavailableError } from "../../../core/ports/store-unavailable.ts";
import type { PublicProblem } from "./public-problem.ts";
import { toProblem } from "./to-problem.ts";

export function problemOfThrown(cause: unknown): PublicProblem {
  if (cause instanceof StoreUnavailableError) {
    return {
      status: 503,
      code: "unavailable",
      message: "The service's store cannot answer now. Try again in a moment.",
      retryAfterSeconds: cause.retryAfterSeconds,
    };
  }
  if (cause instanceof BlobStoreError) {
    return {
      status: 503,
      code: "unavailable",
      message:
        "The service's store of commits cannot answer now. Try again in a moment, or tell its operator.",
      retryAfterSeconds: 5,
    };
  }
  if (cause instanceof StorageFullError) return toProblem({ reason: "storage_full" });
  return { status: 500, code: "internal", message: "internal error" };
}

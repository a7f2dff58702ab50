// The error of a store while it cannot answer: its network, its server or another writer is in the way.

export const STORE_RETRY_SECONDS = 2;

/**
 * What was asked for may have been done or not, and may be asked again in `retryAfterSeconds`. Says nothing of the
 * request: a caller is never refused because of it.
 */
export class StoreUnavailableError extends Error {
  readonly code = "store_unavailable";
  readonly retryAfterSeconds = STORE_RETRY_SECONDS;

  constructor(cause: unknown) {
    super(`The store cannot answer now: ${cause instanceof Error ? cause.message : "unknown cause"}`, {
      cause,
    });
  }
}

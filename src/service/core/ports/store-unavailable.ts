// What a store throws while it cannot answer: its network, its server or another writer is in the way.

/**
 * What was asked for may have been done or not, and may be asked again in `retryAfterSeconds`. Says nothing of the
 * request: a caller is never refused because of it.
 */
export class StoreUnavailableError extends Error {
  readonly code = "store_unavailable";
  readonly retryAfterSeconds = 2;

  constructor(cause: unknown) {
    super(`The store cannot answer now: ${cause instanceof Error ? cause.message : "unknown cause"}`, {
      cause,
    });
  }
}

// The life of an idempotency key. Pure.

/** A request that is repeated within it is answered as the first one was. */
export const KEY_KEPT_MS = 24 * 60 * 60 * 1000;

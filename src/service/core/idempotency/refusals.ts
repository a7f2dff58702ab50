// Why an idempotency key is refused. Pure.

export type KeyInFlightRefusal = { readonly reason: "key_in_flight"; readonly key: string };

/** The key was used for a different request. */
export type KeyReusedRefusal = { readonly reason: "key_reused"; readonly key: string };

/** The request needs a key in its header, and has none or an empty one. */
export type KeyMissingRefusal = { readonly reason: "key_missing"; readonly what: string };

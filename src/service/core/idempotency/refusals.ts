// Why an idempotency key is refused. Pure.

export type KeyInFlightRefusal = { readonly reason: "key_in_flight"; readonly key: string };

/** The key was used for a different request. */
export type KeyReusedRefusal = { readonly reason: "key_reused"; readonly key: string };

// Why an idempotency key is refused, and what its caller is told. Pure.

import { invalidRequest, type ProblemsOf } from "../ports/problem.ts";

export type KeyInFlightRefusal = { readonly reason: "key_in_flight"; readonly key: string };

/** The key was used for a different request. */
export type KeyReusedRefusal = { readonly reason: "key_reused"; readonly key: string };

/** The request needs a key in its header, and has none or an empty one. */
export type KeyMissingRefusal = { readonly reason: "key_missing"; readonly what: string };

export const idempotencyProblems: ProblemsOf<KeyInFlightRefusal | KeyReusedRefusal | KeyMissingRefusal> = {
  key_missing: ({ what }) => invalidRequest(`To ${what} takes the header Idempotency-Key, not empty.`),
  key_in_flight: ({ key }) => ({
    status: 409,
    code: "idempotency_key_in_flight",
    message: `A request with idempotency key "${key}" is still being answered. Send it again in a moment.`,
    retryAfterSeconds: 2,
  }),
  key_reused: ({ key }) => ({
    status: 422,
    code: "idempotency_key_reused",
    message: `Idempotency key "${key}" was used for a different request within 24 hours. Use a new key.`,
  }),
};

// Refusals of an idempotency key, and their problems. Pure.

import { invalidRequest, type ProblemTable, type RefusalOf } from "../ports/problem.ts";

export const idempotencyProblems = {
  key_missing: ({ what }: { what: string }) =>
    invalidRequest(`To ${what} takes the header Idempotency-Key, not empty.`),
  key_in_flight: ({ key }: { key: string }) => ({
    status: 409,
    code: "idempotency_key_in_flight",
    message: `A request with idempotency key "${key}" is still being answered. Send it again in a moment.`,
    retryAfterSeconds: 2,
  }),
  key_reused: ({ key }: { key: string }) => ({
    status: 422,
    code: "idempotency_key_reused",
    message: `Idempotency key "${key}" was used for a different request within 24 hours. Use a new key.`,
  }),
} satisfies ProblemTable;

export type KeyInFlightRefusal = RefusalOf<typeof idempotencyProblems, "key_in_flight">;

/** The key was used for a different request. */
export type KeyReusedRefusal = RefusalOf<typeof idempotencyProblems, "key_reused">;

/** The request needs a key in its header, and has none or an empty one. */
export type KeyMissingRefusal = RefusalOf<typeof idempotencyProblems, "key_missing">;

// What a caller is told of an idempotency key. Pure.

import type {
  KeyInFlightRefusal,
  KeyMissingRefusal,
  KeyReusedRefusal,
} from "../../../core/idempotency/refusals.ts";
import { invalidRequest, type ProblemsOf } from "./public-problem.ts";

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

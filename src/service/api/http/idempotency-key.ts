// The header that makes a request safe to repeat.

import { ok, type Result, refused } from "../../../base/result.ts";
import { MAX_IDEMPOTENCY_KEY_CHARS } from "../../../contract/runs/run-requests.ts";
import { invalidRequest, type PublicProblem } from "../shared/problems/public-problem.ts";
import type { RequestContext } from "./request-context.ts";

/** The key; null where the request has no such header. */
export function idempotencyKeyOf(context: RequestContext): Result<string | null, PublicProblem> {
  const key = context.req.header("idempotency-key") ?? null;
  if (key === null || (key.length >= 1 && key.length <= MAX_IDEMPOTENCY_KEY_CHARS)) return ok(key);
  return refused(
    invalidRequest(
      `Header Idempotency-Key must have 1 to ${MAX_IDEMPOTENCY_KEY_CHARS} characters, got ${key.length}.`,
    ),
  );
}

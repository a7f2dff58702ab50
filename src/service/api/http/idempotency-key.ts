// The key that makes a request safe to repeat: its header, where that is not empty, or else its body's.

import { ok, type Result, refused } from "../../../base/result.ts";
import { MAX_IDEMPOTENCY_KEY_CHARS, takeBodyKey } from "../../../contract/fields.ts";
import type { Route } from "../../../contract/route.ts";
import { invalidRequest, type PublicProblem } from "../../core/ports/problem.ts";
import type { RequestContext } from "./request-context.ts";

export const REPLAY_HEADER = "X-Svc-Idempotent-Replay";

/** The key of the header; null where it has none, an empty one, or the route takes none. */
export function headerKeyOf(context: RequestContext, route: Route): Result<string | null, PublicProblem> {
  const key = route.repeat === "keyed" ? (context.req.header("idempotency-key") ?? "") : "";
  return key.length <= MAX_IDEMPOTENCY_KEY_CHARS ? ok(key === "" ? null : key) : refused(lengthFault(key));
}

type KeyedBody = { readonly key: string | null; readonly body: unknown };

/**
 * The request's key, and its body without it. An empty header alone is refused: whoever sends one means to be safe from a second
 * run, and is not.
 */
export function takeKey(
  context: RequestContext,
  route: Route,
  { headerKey, body }: { readonly headerKey: string | null; readonly body: unknown },
): Result<KeyedBody, PublicProblem> {
  if (route.repeat !== "keyed") return ok({ key: null, body });
  const { key: bodyKey, rest } = mayHaveKey(body) ? takeBodyKey(body) : { key: null, rest: body };
  const key = headerKey ?? bodyKey;
  if (key === null && context.req.header("idempotency-key") !== undefined) return refused(lengthFault(""));
  return ok({ key, body: rest });
}

function mayHaveKey(body: unknown): body is { readonly idempotency_key?: string } {
  return typeof body === "object" && body !== null && "idempotency_key" in body;
}

function lengthFault({ length }: string): PublicProblem {
  return invalidRequest(
    `Header Idempotency-Key must have 1 to ${MAX_IDEMPOTENCY_KEY_CHARS} characters, got ${length}.`,
  );
}

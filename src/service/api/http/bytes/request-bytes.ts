// A request's body as a stream: of a type that the route reads, capped while it arrives, never held as a whole.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { ByteBody } from "../../../../contract/route.ts";
import { invalidRequest, type PublicProblem } from "../../../core/ports/problem.ts";
import { bodyTooLarge, typeOf, unsupportedType } from "../read-body.ts";
import type { RequestContext } from "../request-context.ts";

/** The problem that reading the body ended with. A handler lets it through: the request is answered with its problem. */
export class RequestBodyError extends Error {
  readonly code: PublicProblem["code"];
  readonly problem: PublicProblem;

  /** What is loaded from a bundle of its own has a copy of this class: the name tells. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "RequestBodyError";
  }

  constructor(problem: PublicProblem, options?: ErrorOptions) {
    super(problem.message, options);
    this.name = "RequestBodyError";
    this.code = problem.code;
    this.problem = problem;
  }
}

/**
 * The body, to be iterated once. The client sends on as fast as it is read. Iterating throws RequestBodyError when more
 * than `maxBytes` arrive, and when the client goes away. A body that declares too much is refused before it is read.
 */
export function requestBytes(
  context: RequestContext,
  { maxBytes, types }: ByteBody,
): Result<AsyncIterable<Uint8Array>, PublicProblem> {
  const type = typeOf(context);
  if (!types.includes(type)) return refused(unsupportedType(type, types));
  const declared = Number(context.req.header("content-length") ?? Number.NaN);
  return declared > maxBytes ? refused(bodyTooLarge(maxBytes)) : ok(capped(context, maxBytes));
}

async function* capped(
  context: RequestContext,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { incoming } = context.env;
  let bytes = 0;
  try {
    // The connection stays open for the answer when reading ends early.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new RequestBodyError(bodyTooLarge(maxBytes));
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof RequestBodyError || incoming.complete) throw cause;
    throw new RequestBodyError(invalidRequest("The body was cut off."), { cause });
  }
}

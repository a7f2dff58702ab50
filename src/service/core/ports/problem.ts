// What a caller is told of a refusal, and the problems that several nouns share. Pure.

import type { ProblemCode, WrongField } from "../../../contract/problems/problem.ts";

/** `status`, `headers` and `retryAfterSeconds` are HTTP's; other transports show what they have a place for. */
export type PublicProblem = {
  readonly status:
    | 400
    | 401
    | 402
    | 403
    | 404
    | 409
    | 410
    | 412
    | 413
    | 415
    | 416
    | 422
    | 426
    | 429
    | 500
    | 503;
  readonly code: ProblemCode;
  readonly message: string;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the body, where the contract names them. */
  readonly fields?: Readonly<
    Record<string, string | number | null | readonly string[] | readonly WrongField[]>
  >;
};

type Reasoned = { readonly reason: string };

/** The members of a union of refusals that may have this reason. */
type RefusalOf<Refusal extends Reasoned, Reason> = Refusal extends Reasoned
  ? Reason extends Refusal["reason"]
    ? Refusal
    : never
  : never;

/** The problem of each reason: a table that leaves one out does not compile. */
export type ProblemsOf<Refusal extends Reasoned> = {
  readonly [Reason in Refusal["reason"]]: (refusal: RefusalOf<Refusal, Reason>) => PublicProblem;
};

/** A request with contents that no request may have. */
export function invalidRequest(message: string): PublicProblem {
  return { status: 400, code: "invalid_request", message };
}

export function forbidden(message: string): PublicProblem {
  return { status: 403, code: "forbidden", message };
}

export function notFound(message: string): PublicProblem {
  return { status: 404, code: "not_found", message };
}

/** A time as messages show it. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

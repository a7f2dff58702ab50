// Problems that a caller gets for refusals, and those that several nouns share. Pure.

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

/** Problems by the reasons of refusals. The argument has the fields of its refusal, which is named after the reason. */
export type ProblemTable = Readonly<Record<string, (fields: never) => PublicProblem>>;

/** The refusals of a table, as values: the reason beside its fields. A reason that the table does not have does not compile. */
export type RefusalOf<Table extends ProblemTable, Reason extends keyof Table = keyof Table> = {
  [One in Reason]: Table[One] extends (fields: infer Fields) => PublicProblem
    ? { readonly [Field in keyof (Fields & { reason: One })]: (Fields & { reason: One })[Field] }
    : never;
}[Reason];

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

/** The state of things is another than the request needs. */
export function conflict(code: ProblemCode, message: string): PublicProblem {
  return { status: 409, code, message };
}

/** A time as messages show it. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

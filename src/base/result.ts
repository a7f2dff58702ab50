// An expected outcome as a value. Pure.

/** The result of a use case when refusal is part of its job: a value, or the reason there is none. */
export type Result<Value, Refusal> = Ok<Value> | Refused<Refusal>;

type Ok<Value> = { readonly ok: true; readonly value: Value };
export type Refused<Refusal> = { readonly ok: false; readonly refusal: Refusal };

export function ok<Value>(value: Value): Ok<Value> {
  return { ok: true, value };
}

export function refused<Refusal>(refusal: Refusal): Refused<Refusal> {
  return { ok: false, refusal };
}

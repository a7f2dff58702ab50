// The result of a request that a key makes one. Pure.

import type { Refused, Result } from "../../../base/result.ts";

/** A result that says whether an earlier request with the same key made it. */
export type OnceResult<Value, Refusal> =
  | { readonly ok: true; readonly value: Value; readonly isReplay: boolean }
  | Refused<Refusal>;

/** The result of the request, or of an earlier one with its key. */
export function onceResult<Value, Refusal>(
  result: Result<Value, Refusal>,
  { isReplay }: { readonly isReplay: boolean },
): OnceResult<Value, Refusal> {
  return result.ok ? { ...result, isReplay } : result;
}

// Text that every store keeps as it is. Pure.

import * as z from "zod/mini";

/** PostgreSQL's text has no NUL. */
export const hasNoNul = z.refine<string>((text) => !text.includes("\0"), "must not hold a NUL character");

/** Half of a surrogate pair has no UTF-8: two different texts would become one in a store. */
export const isWellFormed = z.refine<string>(
  (text) => text.isWellFormed(),
  "must not hold half of a surrogate pair",
);

/** From 1 to `maxChars` characters. */
export function text(maxChars: number) {
  return z.string().check(z.minLength(1), z.maxLength(maxChars), hasNoNul, isWellFormed);
}

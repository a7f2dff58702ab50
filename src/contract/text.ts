// Text that a store can be asked for. Pure.

import * as z from "zod/mini";

/** PostgreSQL's text has no NUL. */
export const hasNoNul = z.refine<string>((text) => !text.includes("\0"), "must not hold a NUL character");

/** From 1 to `maxChars` characters. */
export function text(maxChars: number) {
  return z.string().check(z.minLength(1), z.maxLength(maxChars), hasNoNul);
}

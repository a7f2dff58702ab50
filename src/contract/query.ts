// Numbers in the text of a query. Pure.

import * as z from "zod/mini";

/** Query text in, a whole number out; `fallback` where the query does not have it. */
export function wholeNumber(options: { min: number; max: number; fallback: number }) {
  const { min, max, fallback } = options;
  return z.pipe(
    z.pipe(
      z._default(
        z.string().check(z.regex(/^\d{1,16}$/, `must be a whole number from ${min} to ${max}`)),
        String(fallback),
      ),
      z.transform((text: string) => Number(text)),
    ),
    z.number().check(z.minimum(min), z.maximum(max)),
  );
}

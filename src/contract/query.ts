// Query parameters: text in, values out. Each says how the OpenAPI document shows it. Pure.

import * as z from "zod/mini";

/** The JSON Schema of a parameter whose text is decoded to something else. */
export const parameterSchemas = z.registry<Readonly<Record<string, unknown>>>();

/** A whole number; `fallback` where the query does not have it. */
export function wholeNumber(options: { min: number; max: number; fallback: number }) {
  const { min, max, fallback } = options;
  const schema = z.pipe(
    z.pipe(
      z._default(
        z.string().check(z.regex(/^\d{1,16}$/, `must be a whole number from ${min} to ${max}`)),
        String(fallback),
      ),
      z.transform((text: string) => Number(text)),
    ),
    z.number().check(z.minimum(min), z.maximum(max)),
  );
  const maximum = max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max };
  parameterSchemas.add(schema, { type: "integer", minimum: min, ...maximum, default: fallback });
  return schema;
}

/** True for "true"; false for "false" and where the query does not have it. */
export function flag() {
  const schema = z.pipe(
    z._default(z.enum(["true", "false"]), "false"),
    z.transform((text: "true" | "false") => text === "true"),
  );
  parameterSchemas.add(schema, { type: "boolean", default: false });
  return schema;
}

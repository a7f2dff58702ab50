// Kinds of fields: text that every store keeps, objects within bounds, idempotency keys in bodies, and query parameters, whose
// text is decoded. Pure.

import * as z from "zod/mini";
import { field } from "./field.ts";

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

/** Any JSON object of at most so many bytes as JSON and levels of nesting. */
export function boundedObject({ maxBytes, maxDepth }: { maxBytes: number; maxDepth: number }) {
  return z
    .record(z.string(), z.unknown())
    .check(
      z.refine(
        (value) =>
          isWithin(value, maxDepth) && new TextEncoder().encode(JSON.stringify(value)).length <= maxBytes,
        `must have at most ${maxBytes} bytes as JSON and ${maxDepth} levels of nesting`,
      ),
    );
}

/** Level by level: JSON.stringify gives up on what JSON.parse still reads. */
function isWithin(object: unknown, maxDepth: number): boolean {
  let level: unknown[] = [object];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return false;
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null
        ? Object.values(value).filter((inner) => typeof inner === "object")
        : [],
    );
  }
  return true;
}

export const MAX_IDEMPOTENCY_KEY_CHARS = 255;

/** A header that is not empty wins over it. Why: docs/decisions/123-one-reader-of-idempotency-keys.md */
export const bodyKey = {
  idempotency_key: field(
    z.optional(text(MAX_IDEMPOTENCY_KEY_CHARS)),
    "Makes the request safe to repeat for 24 hours. A header Idempotency-Key that is not empty wins over it.",
  ),
};

/** A body whose key was taken out of it: use cases get it beside the body, whichever place it came from. */
export type Unkeyed<Body> = "idempotency_key" extends keyof Body
  ? Omit<Body, "idempotency_key"> & { readonly idempotency_key?: never }
  : Body;

/** The key of a body, and the body without it. */
export function takeBodyKey<Body extends { readonly idempotency_key?: string | undefined }>(
  body: Body,
): { readonly key: string | null; readonly rest: Unkeyed<Body> } {
  const { idempotency_key: key = null, ...rest } = body;
  return { key, rest: rest as unknown as Unkeyed<Body> };
}

/** Whether a body has a field for the key. */
export function takesBodyKey(schema: z.ZodMiniType): boolean {
  return schema instanceof z.ZodMiniObject && "idempotency_key" in schema.shape;
}

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

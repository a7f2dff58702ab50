// The idempotency key of a request: in its header, or in its body where the body has such a field. Pure.
// Why: docs/decisions/123-one-reader-of-idempotency-keys.md

import * as z from "zod/mini";
import { text } from "./text.ts";

export const MAX_IDEMPOTENCY_KEY_CHARS = 255;

/** A header that is not empty wins over it. */
export const bodyKey = { idempotency_key: z.optional(text(MAX_IDEMPOTENCY_KEY_CHARS)) };

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

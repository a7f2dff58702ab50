// What every run of a workspace is given, and its routes under /v1/workspaces/{workspaceID}/context-items. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { bodyKey, hasNoNul, isWellFormed, text } from "../../fields.ts";
import { listOf, pageQuery } from "../record.ts";

/** Of one item's contents, in UTF-8. */
export const MAX_CONTEXT_ITEM_BYTES = 64 * 1024;
/** Of all items of a workspace together. */
export const MAX_CONTEXT_BYTES = 256 * 1024;
export const MAX_CONTEXT_ITEMS = 100;

export const contextKinds = ["text", "file", "url"] as const;
export type ContextKind = (typeof contextKinds)[number];

export const contextItemSchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  kind: z.enum(contextKinds),
  title: z.string(),
  content: z.string(),
  created_at: z.iso.datetime(),
});
export type ContextItemView = z.infer<typeof contextItemSchema>;

export const contextItemListSchema = listOf(contextItemSchema);

export const listContextItemsQuerySchema = strictObject(pageQuery);

export const createContextItemRequestSchema = strictObject({
  /** Left out: `text`. */
  kind: z.optional(z.enum(contextKinds)),
  title: z.optional(text(255)),
  content: z.string().check(z.minLength(1), hasNoNul, isWellFormed),
  ...bodyKey,
});
export type CreateContextItemRequest = z.infer<typeof createContextItemRequestSchema>;

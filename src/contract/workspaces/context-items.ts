// Context items, which every run of a workspace is given, under /v1/workspaces/{workspaceID}/context-items. Pure.

import * as z from "zod/mini";
import { type Components, component } from "../component.ts";
import type { ExamplesOf } from "../examples.ts";
import { field, object, strictObject } from "../field.ts";
import { bodyKey, hasNoNul, isWellFormed, text } from "../fields.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../route.ts";
import { CONTEXT_ITEM_ID, WORKSPACE_ID } from "../story.ts";
import { listOf, pageQuery } from "./record.ts";

/** Of one item's contents, in UTF-8. */
export const MAX_CONTEXT_ITEM_BYTES = 64 * 1024;
/** Of all items of a workspace together. */
export const MAX_CONTEXT_BYTES = 256 * 1024;
export const MAX_CONTEXT_ITEMS = 100;

export const contextKinds = ["text", "file", "url"] as const;
export type ContextKind = (typeof contextKinds)[number];

const kindText =
  "`text` is given as it is; `file` is a path in the workspace, whose accepted contents are given; `url` is an address.";

export const contextItemSchema = object({
  id: field(z.uuid(), "The context item's id."),
  workspace_id: field(z.uuid(), "The workspace."),
  kind: field(z.enum(contextKinds), kindText),
  title: field(z.string(), "What it is called."),
  content: field(z.string(), "The text, the path or the address."),
  created_at: field(z.iso.datetime(), "When it was made."),
});
export type ContextItemView = z.infer<typeof contextItemSchema>;

export const contextItemListSchema = listOf(contextItemSchema, "The context items.");

export const listContextItemsQuerySchema = strictObject(pageQuery);

export const createContextItemRequestSchema = strictObject({
  kind: field(z.optional(z.enum(contextKinds)), `${kindText} Left out: \`text\`.`),
  title: field(z.optional(text(255)), "What it is called. Left out: the path or the address, or `Context`."),
  content: field(
    z.string().check(z.minLength(1), hasNoNul, isWellFormed),
    "The text, the path or the address.",
  ),
  ...bodyKey,
});
export type CreateContextItemRequest = z.infer<typeof createContextItemRequestSchema>;

export const contextItemComponents: Components = {
  ContextItem: component(contextItemSchema, "Something that every run of a workspace is given."),
  ContextItemList: component(contextItemListSchema, "A page of context items, newest first."),
  CreateContextItemRequest: component(createContextItemRequestSchema, "The context item to make."),
};

/** Every character of the largest item, escaped. */
const MAX_BODY_BYTES = 512 * 1024;

export const contextItemRoutes = nounRoutes("contextItems", "Work in workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/context-items", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: contextItemListSchema,
    summary: "List what every run of a workspace is given, newest first",
    scopes: ["workspaces:read"],
    query: query(listContextItemsQuerySchema),
    answers: { 200: "A page of context items." },
  }),
  create: defineRoute("POST /v1/workspaces/{workspaceID}/context-items", {
    callers: accounts,
    role: "member",
    repeat: "keyed",
    answer: contextItemSchema,
    summary: "Give something to every run of a workspace from now on",
    description:
      "At most 64 KiB an item, 100 items and 256 KiB together. The kind `file` names a file of the workspace, whose accepted contents each run is given; a `url` is given as it is, and not opened.",
    scopes: ["workspaces:write"],
    body: jsonBody(createContextItemRequestSchema, MAX_BODY_BYTES),
    answers: { 201: "The context item." },
    refusals: [409],
  }),
  delete: defineRoute("DELETE /v1/workspaces/{workspaceID}/context-items/{contextItemID}", {
    callers: accounts,
    role: "member",
    repeat: "safe",
    answer: contextItemSchema,
    summary: "Give something to no further run of a workspace",
    scopes: ["workspaces:write"],
    answers: { 200: "The context item as it was." },
  }),
});

const item = {
  id: CONTEXT_ITEM_ID,
  workspace_id: WORKSPACE_ID,
  kind: "text" as const,
  title: "House style",
  content: "Sentences are short.",
  created_at: "2026-03-09T10:03:00.000Z",
};

export const contextItemExamples: ExamplesOf<typeof contextItemRoutes> = {
  list: {
    answers: { 200: { contextItemList: { summary: "One item", value: { items: [item], next_cursor: "" } } } },
  },
  create: {
    body: {
      contextText: { summary: "A text", value: { title: item.title, content: item.content } },
      contextFile: { summary: "A file of the workspace", value: { kind: "file", content: "docs/style.md" } },
    },
    answers: { 201: { contextItemMade: { summary: "A new item", value: item } } },
  },
  delete: { answers: { 200: { contextItemDeleted: { summary: "It was there", value: item } } } },
};

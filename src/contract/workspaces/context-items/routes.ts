// The routes of context items. Pure.

import { accounts, defineRoute, jsonBody, nounRoutes, query } from "../../route.ts";
import { pageQueryTexts } from "../record.ts";
import {
  contextItemListSchema,
  contextItemSchema,
  createContextItemRequestSchema,
  listContextItemsQuerySchema,
} from "./context-item.ts";

/** Every character of the largest item, escaped. */
const MAX_BODY_BYTES = 512 * 1024;

export const contextItemRoutes = nounRoutes("contextItems", "Workspaces", {
  list: defineRoute("GET /v1/workspaces/{workspaceID}/context-items", {
    callers: accounts,
    repeat: "safe",
    answer: contextItemListSchema,
    summary: "List what every run of a workspace is given, newest first",
    scopes: ["workspaces:read"],
    query: query(listContextItemsQuerySchema, pageQueryTexts),
    answers: { 200: "A page of context items." },
  }),
  create: defineRoute("POST /v1/workspaces/{workspaceID}/context-items", {
    callers: accounts,
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
    repeat: "safe",
    answer: contextItemSchema,
    summary: "Give something to no further run of a workspace",
    scopes: ["workspaces:write"],
    answers: { 200: "The context item as it was." },
  }),
});

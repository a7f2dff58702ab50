// What the fields of context items mean. Pure.

import { type Components, component } from "../../component.ts";
import { contextItemListSchema, contextItemSchema, createContextItemRequestSchema } from "./context-item.ts";

const fields = {
  kind: "`text` is given as it is; `file` is a path in the workspace, whose accepted contents are given; `url` is an address.",
  title: "What it is called.",
  content: "The text, the path or the address.",
} as const;

export const contextItemComponents: Components = {
  ContextItem: component(contextItemSchema, "Something that every run of a workspace is given.", {
    ...fields,
    id: "The context item's id.",
    workspace_id: "The workspace.",
    created_at: "When it was made.",
  }),
  ContextItemList: component(contextItemListSchema, "A page of context items, newest first.", {
    items: "The context items.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
  CreateContextItemRequest: component(createContextItemRequestSchema, "The context item to make.", {
    ...fields,
    kind: `${fields.kind} Left out: \`text\`.`,
    title: "What it is called. Left out: the path or the address, or `Context`.",
    idempotency_key: "Makes the request safe to repeat for 24 hours. The header wins over it.",
  }),
};

// Examples of context items. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { CONTEXT_ITEM_ID, WORKSPACE_ID } from "../../story.ts";
import type { contextItemRoutes } from "./routes.ts";

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

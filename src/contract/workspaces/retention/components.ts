// What the fields of retention mean. Pure.

import { type Components, component } from "../../component.ts";
import { cleanupItemSchema, createPinRequestSchema, pinSchema, retentionSchema } from "./retention.ts";

const pinTexts = {
  id: "The pin's id.",
  revision_id: "The revision that it keeps.",
  reason: "Why, in words.",
  until: "When it ends by itself; null where it does not.",
  created_at: "When it was made.",
};

export const retentionComponents: Components = {
  RetentionPin: component(pinSchema, "What keeps a revision from being deleted.", pinTexts),
  CleanupItem: component(cleanupItemSchema, "What is going to be deleted. A union on `kind`.", {
    kind: "A `revision`, or what is in the `trash` of a copy.",
    delete_at: "When it may be deleted, unless something comes to need it.",
    revision_id: "The revision.",
    working_copy_id: "The copy.",
    handle: "What restores it.",
    path: "What it was.",
  }),
  Retention: component(retentionSchema, "What of a workspace is kept. A union on `view`.", {
    view: "What is shown.",
    items: "What is going to be deleted, the first first; or the pins, newest first.",
    next_cursor: "The cursor of the next page; empty at the end.",
    objects: "How many contents, folders and commits are kept, each once.",
    bytes: "Of all of these.",
    revisions: "How many revisions there are.",
    copies: "How many copies there are, the canonical one included.",
  }),
  CreatePinRequest: component(createPinRequestSchema, "A revision to keep.", {
    revision_id: "The revision.",
    reason: "Why, in words.",
    until: "When the pin ends by itself. Left out: it does not.",
  }),
};

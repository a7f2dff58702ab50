// Retention of a workspace's contents, and its routes under /v1/workspaces/{workspaceID}/retention. Pure.

import * as z from "zod/mini";
import { field, object, strictObject } from "../../field.ts";
import { text } from "../../fields.ts";
import { listOf, pageQuery } from "../record.ts";

const MAX_PIN_REASON_CHARS = 1_000;

const retentionViews = ["cleanup", "pins", "usage"] as const;
export type RetentionView = (typeof retentionViews)[number];

const timestamp = z.iso.datetime();

export const pinSchema = object({
  id: field(z.uuid(), "The pin's id."),
  revision_id: field(z.uuid(), "The revision that it keeps."),
  reason: field(z.string(), "Why, in words."),
  until: field(z.nullable(timestamp), "When it ends by itself; null where it does not."),
  created_at: field(timestamp, "When it was made."),
});
export type PinView = z.infer<typeof pinSchema>;

const kind = <Name extends "revision" | "trash">(name: Name) =>
  field(z.literal(name), "A `revision`, or what is in the `trash` of a copy.");

export const cleanupItemSchema = z.discriminatedUnion("kind", [
  object({
    kind: kind("revision"),
    delete_at: field(timestamp, "When it may be deleted, unless something comes to need it."),
    revision_id: field(z.uuid(), "The revision."),
  }),
  object({
    kind: kind("trash"),
    delete_at: field(timestamp, "When it may be deleted, unless something comes to need it."),
    working_copy_id: field(z.uuid(), "The copy."),
    handle: field(z.string(), "What restores it."),
    path: field(z.string(), "What it was."),
  }),
]);
export type CleanupItemView = z.infer<typeof cleanupItemSchema>;

const usage = {
  objects: field(z.int(), "How many contents, folders and commits are kept, each once."),
  bytes: field(z.int(), "Of all of these."),
  revisions: field(z.int(), "How many revisions there are."),
  copies: field(z.int(), "How many copies there are, the canonical one included."),
};

const view = <Name extends (typeof retentionViews)[number]>(name: Name) =>
  field(z.literal(name), "What is shown.");

export const retentionSchema = z.discriminatedUnion("view", [
  object({
    view: view("cleanup"),
    ...listOf(cleanupItemSchema, "What is going to be deleted, the first first.").shape,
  }),
  object({ view: view("pins"), ...listOf(pinSchema, "The pins, newest first.").shape }),
  object({ view: view("usage"), ...usage }),
]);
export type RetentionAnswer = z.infer<typeof retentionSchema>;

export const retentionQuerySchema = strictObject({
  view: field(
    z._default(z.enum(retentionViews), "cleanup"),
    "`cleanup`: what is going to be deleted, the first first. `pins`: what keeps revisions. `usage`: how much is kept.",
  ),
  ...pageQuery,
});

export const createPinRequestSchema = strictObject({
  revision_id: field(z.uuid(), "The revision."),
  reason: field(text(MAX_PIN_REASON_CHARS).check(z.minLength(1)), "Why, in words."),
  until: field(
    z.optional(z.iso.datetime({ offset: true })),
    "When the pin ends by itself. Left out: it does not.",
  ),
});
export type CreatePinRequest = z.infer<typeof createPinRequestSchema>;

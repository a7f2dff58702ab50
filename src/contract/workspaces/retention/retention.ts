// What of a workspace is kept how long, and its routes under /v1/workspaces/{workspaceID}/retention. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { text } from "../../fields.ts";
import { listOf, pageQuery } from "../record.ts";

export const MAX_PIN_REASON_CHARS = 1_000;

export const retentionViews = ["cleanup", "pins", "usage"] as const;
export type RetentionView = (typeof retentionViews)[number];

const timestamp = z.iso.datetime();

export const pinSchema = z.object({
  id: z.uuid(),
  revision_id: z.uuid(),
  reason: z.string(),
  until: z.nullable(timestamp),
  created_at: timestamp,
});
export type PinView = z.infer<typeof pinSchema>;

export const cleanupItemSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("revision"), delete_at: timestamp, revision_id: z.uuid() }),
  z.object({
    kind: z.literal("trash"),
    delete_at: timestamp,
    working_copy_id: z.uuid(),
    handle: z.string(),
    path: z.string(),
  }),
]);
export type CleanupItemView = z.infer<typeof cleanupItemSchema>;

const usage = { objects: z.int(), bytes: z.int(), revisions: z.int(), copies: z.int() };

export const retentionSchema = z.discriminatedUnion("view", [
  z.object({ view: z.literal("cleanup"), ...listOf(cleanupItemSchema).shape }),
  z.object({ view: z.literal("pins"), ...listOf(pinSchema).shape }),
  z.object({ view: z.literal("usage"), ...usage }),
]);
export type RetentionAnswer = z.infer<typeof retentionSchema>;

export const retentionQuerySchema = strictObject({
  view: z._default(z.enum(retentionViews), "cleanup"),
  ...pageQuery,
});

export const createPinRequestSchema = strictObject({
  revision_id: z.uuid(),
  reason: text(MAX_PIN_REASON_CHARS).check(z.minLength(1)),
  until: z.optional(z.iso.datetime({ offset: true })),
});
export type CreatePinRequest = z.infer<typeof createPinRequestSchema>;

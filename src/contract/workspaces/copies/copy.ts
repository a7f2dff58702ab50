// Copies of a workspace's files, and their routes under /v1/workspaces/{workspaceID}/copies and /checkpoints. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { bodyKey, text } from "../../fields.ts";
import { actorSchema, listOf, pageQuery } from "../record.ts";

/** Of the message of a revision. */
export const MAX_MESSAGE_CHARS = 10_000;

/** `held`: a run works in it, and nobody else writes. */
export const copyViewStates = ["ready", "held", "deleting"] as const;
export type CopyViewState = (typeof copyViewStates)[number];

export const copySchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  is_canonical: z.boolean(),
  state: z.enum(copyViewStates),
  base_revision_id: z.uuid(),
  saved_revision_id: z.nullable(z.uuid()),
  changed_files: z.int(),
  held_by_run_id: z.nullable(z.string()),
  created_by: actorSchema,
  created_at: z.iso.datetime(),
});
export type CopyView = z.infer<typeof copySchema>;

export const copyListSchema = listOf(copySchema);

export const listCopiesQuerySchema = strictObject({
  ...pageQuery,
  state: z.optional(z.enum(copyViewStates)),
});

export const createCopyRequestSchema = strictObject({
  base_revision_id: z.optional(z.uuid()),
  ...bodyKey,
});
export type CreateCopyRequest = z.infer<typeof createCopyRequestSchema>;

export const checkpointRequestSchema = strictObject({
  working_copy_id: z.optional(z.uuid()),
  message: z.optional(text(MAX_MESSAGE_CHARS)),
  ...bodyKey,
});
export type CheckpointRequest = z.infer<typeof checkpointRequestSchema>;

// Copies of a workspace's files, and their routes under /v1/workspaces/{workspaceID}/copies and /checkpoints. Pure.

import * as z from "zod/mini";
import { field, object, strictObject } from "../../field.ts";
import { bodyKey, text } from "../../fields.ts";
import { actorSchema, listOf, pageQuery } from "../record.ts";

/** Of the message of a revision. */
export const MAX_MESSAGE_CHARS = 10_000;

/** `held`: a run works in it, and nobody else writes. */
const copyViewStates = ["ready", "held", "deleting"] as const;
export type CopyViewState = (typeof copyViewStates)[number];

export const copySchema = object({
  id: field(z.uuid(), "The copy's id."),
  workspace_id: field(z.uuid(), "The workspace's id."),
  is_canonical: field(z.boolean(), "True for the one copy whose base is the accepted revision."),
  state: field(z.enum(copyViewStates), "`held` while a run works in it: nobody else writes then."),
  base_revision_id: field(z.uuid(), "The revision that the changes of the copy are on top of."),
  saved_revision_id: field(
    z.nullable(z.uuid()),
    "The newest revision that was saved of it; null where there is none.",
  ),
  changed_files: field(
    z.int(),
    "How many paths were written or deleted since the base revision, and are not saved.",
  ),
  held_by_run_id: field(z.nullable(z.string()), "The run that works in it; null where there is none."),
  created_by: field(actorSchema, "Who made it."),
  created_at: field(z.iso.datetime(), "When it was made."),
});
/** A working copy of a workspace: the revision that it began at, and its state. */
export type CopyView = z.infer<typeof copySchema>;

export const copyListSchema = listOf(copySchema, "The copies.");

export const listCopiesQuerySchema = strictObject({
  ...pageQuery,
  state: field(z.optional(z.enum(copyViewStates)), "Only copies in this state."),
});

export const createCopyRequestSchema = strictObject({
  base_revision_id: field(
    z.optional(z.uuid()),
    "The revision that it is a copy of. Left out: the accepted one.",
  ),
  ...bodyKey,
});
export type CreateCopyRequest = z.infer<typeof createCopyRequestSchema>;

export const checkpointRequestSchema = strictObject({
  working_copy_id: field(z.optional(z.uuid()), "The copy to save. Left out: the canonical one."),
  message: field(z.optional(text(MAX_MESSAGE_CHARS)), "What was changed, in words."),
  ...bodyKey,
});
export type CheckpointRequest = z.infer<typeof checkpointRequestSchema>;

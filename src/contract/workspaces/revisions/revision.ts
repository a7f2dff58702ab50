// Revisions of a workspace, and their routes under /v1/workspaces/{workspaceID}/revisions. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { actorSchema, listOf, pageQuery } from "../record.ts";

export const revisionSchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  commit: z.string(),
  tree: z.string(),
  parent_ids: z.array(z.uuid()),
  message: z.string(),
  author: actorSchema,
  files: z.int(),
  bytes: z.int(),
  pinned: z.boolean(),
  created_at: z.iso.datetime(),
  accepted_at: z.nullable(z.iso.datetime()),
});
export type RevisionView = z.infer<typeof revisionSchema>;

export const revisionListSchema = listOf(revisionSchema);

export const listRevisionsQuerySchema = strictObject({
  ...pageQuery,
  accepted: z.optional(z.enum(["true", "false"])),
});

// The sessions of a workspace, and their routes under /v1/workspaces/{workspaceID}/threads. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { bodyKey, text } from "../../fields.ts";
import { listOf, pageQuery } from "../record.ts";

export const MAX_THREAD_TITLE_CHARS = 255;

export const threadSchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  agent_id: z.uuid(),
  title: z.nullable(z.string()),
  created_at: z.iso.datetime(),
});
export type ThreadView = z.infer<typeof threadSchema>;

export const threadListSchema = listOf(threadSchema);

export const listThreadsQuerySchema = strictObject(pageQuery);

export const createThreadRequestSchema = strictObject({
  title: z.optional(text(MAX_THREAD_TITLE_CHARS)),
  /** A member. Left out: the workspace's manager. */
  agent_id: z.optional(z.uuid()),
  ...bodyKey,
});
export type CreateThreadRequest = z.infer<typeof createThreadRequestSchema>;

// The runs of a workspace, and their routes under /v1/workspaces/{workspaceID}/runs. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { runSchema } from "../../runs/run.ts";
import { submitRunRequestSchema } from "../../runs/run-requests.ts";
import { listOf, pageQuery } from "../record.ts";

export const workspaceRunListSchema = listOf(runSchema);

export const listWorkspaceRunsQuerySchema = strictObject({
  ...pageQuery,
  /** Only those in this copy. */
  working_copy_id: z.optional(z.uuid()),
});

/** A task group makes the run a worker: it needs a copy, too. */
export const submitWorkspaceRunRequestSchema = z.extend(submitRunRequestSchema, {
  /** A member. Left out: the workspace's manager. */
  executor_agent_id: z.optional(z.uuid()),
  working_copy_id: z.optional(z.uuid()),
  task_group_id: z.optional(z.uuid()),
});
export type SubmitWorkspaceRunRequest = z.infer<typeof submitWorkspaceRunRequestSchema>;

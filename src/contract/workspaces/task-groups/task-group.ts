// Task groups: workers with one budget and one stop, and their routes under /v1/workspaces/{workspaceID}/task-groups and
// /v1/task-groups. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { bodyKey, text } from "../../fields.ts";
import type { RunStatus } from "../../runs/run.ts";
import { actorSchema, listOf, pageQuery } from "../record.ts";
import type { SaveState } from "../workers/worker.ts";

export const taskGroupStatuses = ["open", "stopped"] as const;
export type TaskGroupStatus = (typeof taskGroupStatuses)[number];

export const MAX_GROUP_NAME_CHARS = 255;
export const DEFAULT_MAX_WORKERS = 10;
export const MOST_WORKERS = 100;
const MOST_CREDITS = 1_000_000_000;

const runCountsSchema = z.object({
  queued: z.int(),
  running: z.int(),
  cancelling: z.int(),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
} satisfies Record<RunStatus, z.ZodMiniType>);

const saveCountsSchema = z.object({
  none: z.int(),
  saving: z.int(),
  saved: z.int(),
  unchanged: z.int(),
  failed: z.int(),
} satisfies Record<SaveState, z.ZodMiniType>);

export const taskGroupSchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  name: z.string(),
  status: z.enum(taskGroupStatuses),
  budget_credits: z.nullable(z.int()),
  max_workers: z.int(),
  workers: z.object({ total: z.int(), by_run_status: runCountsSchema, by_save_state: saveCountsSchema }),
  changeset_ids: z.array(z.uuid()),
  created_by: actorSchema,
  created_at: z.iso.datetime(),
  stopped_at: z.nullable(z.iso.datetime()),
});
export type TaskGroupView = z.infer<typeof taskGroupSchema>;

export const taskGroupListSchema = listOf(taskGroupSchema);

export const listTaskGroupsQuerySchema = strictObject(pageQuery);

export const createTaskGroupRequestSchema = strictObject({
  name: text(MAX_GROUP_NAME_CHARS),
  budget_credits: z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(MOST_CREDITS)))),
  max_workers: z.optional(z.int().check(z.minimum(1), z.maximum(MOST_WORKERS))),
  ...bodyKey,
});
export type CreateTaskGroupRequest = z.infer<typeof createTaskGroupRequestSchema>;

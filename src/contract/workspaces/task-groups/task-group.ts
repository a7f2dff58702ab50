// Task groups: workers with one budget and one stop, and their routes under /v1/workspaces/{workspaceID}/task-groups and
// /v1/task-groups. Pure.

import * as z from "zod/mini";
import { field, object, strictObject } from "../../field.ts";
import { bodyKey, text } from "../../fields.ts";
import type { RunStatus } from "../../runs/run.ts";
import { actorSchema, listOf, pageQuery } from "../record.ts";
import type { SaveState } from "../workers/worker.ts";

export const taskGroupStatuses = ["open", "stopped"] as const;
export type TaskGroupStatus = (typeof taskGroupStatuses)[number];

const MAX_GROUP_NAME_CHARS = 255;
export const DEFAULT_MAX_WORKERS = 10;
export const MOST_WORKERS = 100;
const MOST_CREDITS = 1_000_000_000;

const runCountsSchema = object({
  queued: field(z.int(), "Waiting."),
  running: field(z.int(), "At work."),
  cancelling: field(z.int(), "About to be cancelled."),
  completed: field(z.int(), "Completed."),
  failed: field(z.int(), "Failed."),
  cancelled: field(z.int(), "Cancelled."),
} satisfies Record<RunStatus, z.ZodMiniType>);

const saveCountsSchema = object({
  none: field(z.int(), "Nothing yet."),
  saving: field(z.int(), "It is being saved."),
  saved: field(z.int(), "A revision was made."),
  unchanged: field(z.int(), "There was nothing to save."),
  failed: field(z.int(), "It could not be saved."),
} satisfies Record<SaveState, z.ZodMiniType>);

const budgetText =
  "What its workers' runs may cost together, in credits. Each run gets a share of what is left when it starts. Null: no limit of the group's own.";
const workersText = "How many of its workers may be at work, or queued, at a time.";

export const taskGroupSchema = object({
  id: field(z.uuid(), "The task group's id."),
  workspace_id: field(z.uuid(), "The workspace's id."),
  name: field(z.string(), "What it is called."),
  status: field(z.enum(taskGroupStatuses), "`stopped` once it takes no workers any more."),
  budget_credits: field(z.nullable(z.int()), budgetText),
  max_workers: field(z.int(), workersText),
  workers: field(
    object({
      total: field(z.int(), "How many there are."),
      by_run_status: field(runCountsSchema, "How many by the status of their runs."),
      by_save_state: field(saveCountsSchema, "How many by what of their changes is saved."),
    }),
    "How its workers are.",
  ),
  changeset_ids: field(
    z.array(z.uuid()),
    "The changesets that were made of its workers' revisions, oldest first.",
  ),
  created_by: field(actorSchema, "Who made it."),
  created_at: field(z.iso.datetime(), "When it was made."),
  stopped_at: field(z.nullable(z.iso.datetime()), "When it was stopped."),
});
export type TaskGroupView = z.infer<typeof taskGroupSchema>;

export const taskGroupListSchema = listOf(taskGroupSchema, "The task groups.");

export const listTaskGroupsQuerySchema = strictObject(pageQuery);

export const createTaskGroupRequestSchema = strictObject({
  name: field(text(MAX_GROUP_NAME_CHARS), "What it is called."),
  budget_credits: field(
    z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(MOST_CREDITS)))),
    budgetText,
  ),
  max_workers: field(
    z.optional(z.int().check(z.minimum(1), z.maximum(MOST_WORKERS))),
    `${workersText} Left out: 10.`,
  ),
  ...bodyKey,
});
export type CreateTaskGroupRequest = z.infer<typeof createTaskGroupRequestSchema>;

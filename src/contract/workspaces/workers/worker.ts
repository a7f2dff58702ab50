// Workers, each a run in a copy for a task group, and their routes under /v1/workspaces/{workspaceID}/workers. Pure.

import * as z from "zod/mini";
import { extend, field, object, strictObject } from "../../field.ts";
import { runStatuses } from "../../runs/run.ts";
import { submitRunRequestSchema } from "../../runs/run-requests.ts";
import { actorSchema, listOf, pageQuery } from "../record.ts";

/**
 * `none` while it works; `saving` once its run is over and its changes are kept; then `saved` as a revision, `unchanged`
 * where there was nothing to save, or `failed`.
 */
export const saveStates = ["none", "saving", "saved", "unchanged", "failed"] as const;
export type SaveState = (typeof saveStates)[number];

export const workerSchema = object({
  id: field(z.uuid(), "The worker's id."),
  workspace_id: field(z.uuid(), "The workspace's id."),
  task_group_id: field(z.uuid(), "The task group that it works for."),
  working_copy_id: field(z.uuid(), "The copy that it works in, alone."),
  executor_agent_id: field(z.uuid(), "The agent that runs."),
  run_id: field(z.string(), "Its run."),
  run_status: field(z.enum(runStatuses), "Where the run stands."),
  save_state: field(
    z.enum(saveStates),
    "What of its changes is saved: `none` while it works, `saving`, then `saved`, `unchanged` where there was nothing to save, or `failed`. A run that has completed is not saved by that.",
  ),
  saved_revision_id: field(
    z.nullable(z.uuid()),
    "The revision of what it left: for `saved` one of its own, for `unchanged` the one that it began with. It is not accepted: make a changeset of it.",
  ),
  save_error: field(
    z.nullable(z.string()),
    "Why nothing could be saved, where `save_state` is `failed`. What was written before stays in the copy.",
  ),
  created_by: field(actorSchema, "Who started it."),
  created_at: field(z.iso.datetime(), "When it was started."),
  saved_at: field(z.nullable(z.iso.datetime()), "When its changes were saved, or could not be."),
});
export type WorkerView = z.infer<typeof workerSchema>;

export const workerListSchema = listOf(workerSchema, "The workers.");

export const listWorkersQuerySchema = strictObject({
  ...pageQuery,
  task_group_id: field(z.optional(z.uuid()), "Only the workers of this task group."),
});

/** Exactly one of `message` and `messages` is needed, and at most one of `working_copy_id` and `base_revision_id`. */
export const startWorkerRequestSchema = extend(
  z.pick(submitRunRequestSchema, {
    message: true,
    messages: true,
    egress: true,
    mcp_servers: true,
    idempotency_key: true,
    max_turn_tokens: true,
    max_cost_usd: true,
    time_limit_seconds: true,
    output_schema: true,
  }),
  {
    task_group_id: field(z.uuid(), "The task group that it works for."),
    working_copy_id: field(z.optional(z.uuid()), "The copy that it works in. Left out: a new one."),
    base_revision_id: field(
      z.optional(z.uuid()),
      "The revision that its new copy is of. Left out: the accepted one.",
    ),
    executor_agent_id: field(
      z.optional(z.uuid()),
      "The member that runs. Left out: the workspace's manager.",
    ),
  },
);
export type StartWorkerRequest = z.infer<typeof startWorkerRequestSchema>;

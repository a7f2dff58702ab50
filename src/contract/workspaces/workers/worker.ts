// Workers, each a run in a copy for a task group, and their routes under /v1/workspaces/{workspaceID}/workers. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { runStatuses } from "../../runs/run.ts";
import { submitRunRequestSchema } from "../../runs/run-requests.ts";
import { actorSchema, listOf, pageQuery } from "../record.ts";

/**
 * `none` while it works; `saving` once its run is over and its changes are kept; then `saved` as a revision, `unchanged`
 * where there was nothing to save, or `failed`.
 */
export const saveStates = ["none", "saving", "saved", "unchanged", "failed"] as const;
export type SaveState = (typeof saveStates)[number];

export const workerSchema = z.object({
  id: z.uuid(),
  workspace_id: z.uuid(),
  task_group_id: z.uuid(),
  working_copy_id: z.uuid(),
  executor_agent_id: z.uuid(),
  run_id: z.string(),
  run_status: z.enum(runStatuses),
  save_state: z.enum(saveStates),
  saved_revision_id: z.nullable(z.uuid()),
  save_error: z.nullable(z.string()),
  created_by: actorSchema,
  created_at: z.iso.datetime(),
  saved_at: z.nullable(z.iso.datetime()),
});
export type WorkerView = z.infer<typeof workerSchema>;

export const workerListSchema = listOf(workerSchema);

export const listWorkersQuerySchema = strictObject({
  ...pageQuery,
  task_group_id: z.optional(z.uuid()),
});

/** Exactly one of `message` and `messages` is needed, and at most one of `working_copy_id` and `base_revision_id`. */
export const startWorkerRequestSchema = z.extend(
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
    task_group_id: z.uuid(),
    /** The copy that it works in. */
    working_copy_id: z.optional(z.uuid()),
    /** The revision of which it gets a new copy. With neither: the accepted one. */
    base_revision_id: z.optional(z.uuid()),
    /** A member. Left out: the workspace's manager. */
    executor_agent_id: z.optional(z.uuid()),
  },
);
export type StartWorkerRequest = z.infer<typeof startWorkerRequestSchema>;

// The tools about workers and task groups: what they take and what they answer. Pure.

import * as z from "zod/mini";
import { extend, field, object, strictObject } from "../field.ts";
import { text } from "../fields.ts";
import { runStatuses } from "../runs/run.ts";
import { createTaskGroupRequestSchema, taskGroupSchema } from "../workspaces/task-groups/task-group.ts";
import { saveStates } from "../workspaces/workers/worker.ts";
import { agentReferenceSchema } from "./agent-tools.ts";
import { toolSchema, waitSecondsSchema } from "./tool-schema.ts";
import { idempotencyKeySchema } from "./workspace-tools.ts";

const MAX_MESSAGE_CHARS = 1_000_000;

export const toolWorkerSchema = object({
  id: field(z.uuid(), "The worker's id."),
  task_group_id: field(z.uuid(), "The task group that it works for."),
  copy_id: field(z.uuid(), "The copy that it works in, alone."),
  agent_id: field(z.uuid(), "The agent that runs."),
  run_id: field(z.string(), "Its run: get_run_result has what it said."),
  run_status: field(
    z.enum(runStatuses),
    "Where the run stands. Completed does not say that its changes are saved.",
  ),
  save_state: field(
    z.enum(saveStates),
    "What of its changes is saved: `none` while it works, `saving`, `saved`, `unchanged` or `failed`.",
  ),
  saved_revision_id: field(
    z.nullable(z.uuid()),
    "The revision of what it left. It is not accepted: pass it to create_changeset.",
  ),
  save_error: field(z.nullable(z.string()), "Why nothing could be saved."),
});

const { id, name, status, budget_credits, max_workers, changeset_ids, created_at, stopped_at } =
  taskGroupSchema.shape;
const toolGroupFields = {
  id: field(id, "The task group's id."),
  name: field(name, "What it is about."),
  status: field(status, "`stopped`: it takes no more workers."),
  budget_credits: field(budget_credits, "What its workers may cost together; null: no budget of its own."),
  max_workers: field(max_workers, "How many may be at work at a time."),
  changeset_ids: field(changeset_ids, "The changesets that were made of its workers' copies."),
  created_at: field(created_at, "When it was made."),
  stopped_at: field(stopped_at, "When it was stopped."),
};
export const toolTaskGroupSchema = object(toolGroupFields);

const { max_workers: maxWorkers, budget_credits: budgetCredits } = createTaskGroupRequestSchema.shape;

const workspaceId = field(z.uuid(), "The workspace's id.");

export const createTaskGroupTool = {
  input: toolSchema(
    strictObject({
      workspace_id: workspaceId,
      name: field(text(255), "What it is about."),
      budget_credits: field(budgetCredits, "What its workers may cost together; null: no budget of its own."),
      max_workers: field(maxWorkers, "How many may be at work at a time."),
      idempotency_key: field(
        idempotencyKeySchema,
        "Makes the call safe to repeat for 24 hours: the same key gives the same thing.",
      ),
    }),
  ),
  output: toolSchema(toolTaskGroupSchema),
} as const;

const groupId = { task_group_id: field(z.uuid(), "The task group's id.") };

export const getTaskGroupTool = {
  input: toolSchema(strictObject(groupId)),
  output: toolSchema(
    extend(toolTaskGroupSchema, {
      workers: field(z.array(toolWorkerSchema), "Its newest workers."),
      workers_omitted: field(z.optional(z.literal(true)), "True where there are more."),
    }),
  ),
} as const;

export const stopTaskGroupTool = {
  input: toolSchema(strictObject(groupId)),
  output: toolSchema(toolTaskGroupSchema),
} as const;

export const startWorkerTool = {
  input: toolSchema(
    strictObject({
      workspace_id: workspaceId,
      task_group_id: field(z.uuid(), "The task group's id."),
      message: field(text(MAX_MESSAGE_CHARS), "What the worker is asked to do."),
      agent: field(
        z.optional(agentReferenceSchema),
        "A member of the workspace: its id, or its name. Left out: the manager.",
      ),
      copy_id: field(z.optional(z.uuid()), "The copy that it works in. Left out: a new one."),
      revision_id: field(
        z.optional(z.uuid()),
        "The revision that its new copy is of. Left out: the accepted one.",
      ),
      idempotency_key: field(
        idempotencyKeySchema,
        "Makes the call safe to repeat for 24 hours: the same key gives the same thing.",
      ),
    }),
  ),
  output: toolSchema(toolWorkerSchema),
} as const;

export const getWorkerTool = {
  input: toolSchema(
    strictObject({
      workspace_id: workspaceId,
      worker_id: field(z.uuid(), "The worker's id."),
      wait_seconds: field(
        waitSecondsSchema,
        "How long to wait until what it did is saved, in seconds. It goes on after that.",
      ),
    }),
  ),
  output: toolSchema(toolWorkerSchema),
} as const;

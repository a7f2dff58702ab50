// The tools about workers and task groups: what they take and what they answer. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { text } from "../fields.ts";
import { runStatuses } from "../runs/run.ts";
import { createTaskGroupRequestSchema, taskGroupSchema } from "../workspaces/task-groups/task-group.ts";
import { saveStates } from "../workspaces/workers/worker.ts";
import { agentReferenceSchema } from "./agent-tools.ts";
import { toolSchema, waitSecondsSchema } from "./tool-schema.ts";
import { idempotencyKeySchema, keyText, workspaceIdText } from "./workspace-tools.ts";

const MAX_MESSAGE_CHARS = 1_000_000;

export const toolWorkerSchema = z.object({
  id: z.uuid(),
  task_group_id: z.uuid(),
  copy_id: z.uuid(),
  agent_id: z.uuid(),
  run_id: z.string(),
  run_status: z.enum(runStatuses),
  save_state: z.enum(saveStates),
  saved_revision_id: z.nullable(z.uuid()),
  save_error: z.nullable(z.string()),
});

const workerTexts = {
  id: "The worker's id.",
  task_group_id: "The task group that it works for.",
  copy_id: "The copy that it works in, alone.",
  agent_id: "The agent that runs.",
  run_id: "Its run: get_run_result has what it said.",
  run_status: "Where the run stands. Completed does not say that its changes are saved.",
  save_state:
    "What of its changes is saved: `none` while it works, `saving`, `saved`, `unchanged` or `failed`.",
  saved_revision_id: "The revision of what it left. It is not accepted: pass it to create_changeset.",
  save_error: "Why nothing could be saved.",
} as const;

const { id, name, status, budget_credits, max_workers, changeset_ids, created_at, stopped_at } =
  taskGroupSchema.shape;
const toolGroupFields = {
  id,
  name,
  status,
  budget_credits,
  max_workers,
  changeset_ids,
  created_at,
  stopped_at,
};
export const toolTaskGroupSchema = z.object(toolGroupFields);

const groupTexts = {
  id: "The task group's id.",
  name: "What it is about.",
  status: "`stopped`: it takes no more workers.",
  budget_credits: "What its workers may cost together; null: no budget of its own.",
  max_workers: "How many may be at work at a time.",
  changeset_ids: "The changesets that were made of its workers' copies.",
  created_at: "When it was made.",
  stopped_at: "When it was stopped.",
} as const;

const { max_workers: maxWorkers, budget_credits: budgetCredits } = createTaskGroupRequestSchema.shape;

export const createTaskGroupTool = {
  input: toolSchema(
    strictObject({
      workspace_id: z.uuid(),
      name: text(255),
      budget_credits: budgetCredits,
      max_workers: maxWorkers,
      idempotency_key: idempotencyKeySchema,
    }),
    {
      workspace_id: workspaceIdText,
      name: "What it is about.",
      budget_credits: groupTexts.budget_credits,
      max_workers: groupTexts.max_workers,
      idempotency_key: keyText,
    },
  ),
  output: toolSchema(toolTaskGroupSchema, groupTexts),
} as const;

const groupId = { task_group_id: z.uuid() };
const groupIdTexts = { task_group_id: "The task group's id." } as const;

export const getTaskGroupTool = {
  input: toolSchema(strictObject(groupId), groupIdTexts),
  output: toolSchema(
    z.extend(toolTaskGroupSchema, {
      workers: z.array(toolWorkerSchema),
      workers_omitted: z.optional(z.literal(true)),
    }),
    {
      ...groupTexts,
      workers: ["Its newest workers.", workerTexts],
      workers_omitted: "True where there are more.",
    },
  ),
} as const;

export const stopTaskGroupTool = {
  input: toolSchema(strictObject(groupId), groupIdTexts),
  output: toolSchema(toolTaskGroupSchema, groupTexts),
} as const;

export const startWorkerTool = {
  input: toolSchema(
    strictObject({
      workspace_id: z.uuid(),
      task_group_id: z.uuid(),
      message: text(MAX_MESSAGE_CHARS),
      agent: z.optional(agentReferenceSchema),
      copy_id: z.optional(z.uuid()),
      revision_id: z.optional(z.uuid()),
      idempotency_key: idempotencyKeySchema,
    }),
    {
      workspace_id: workspaceIdText,
      ...groupIdTexts,
      message: "What the worker is asked to do.",
      agent: "A member of the workspace: its id, or its name. Left out: the manager.",
      copy_id: "The copy that it works in. Left out: a new one.",
      revision_id: "The revision that its new copy is of. Left out: the accepted one.",
      idempotency_key: keyText,
    },
  ),
  output: toolSchema(toolWorkerSchema, workerTexts),
} as const;

export const getWorkerTool = {
  input: toolSchema(
    strictObject({ workspace_id: z.uuid(), worker_id: z.uuid(), wait_seconds: waitSecondsSchema }),
    {
      workspace_id: workspaceIdText,
      worker_id: "The worker's id.",
      wait_seconds: "How long to wait until what it did is saved, in seconds. It goes on after that.",
    },
  ),
  output: toolSchema(toolWorkerSchema, workerTexts),
} as const;

// Workers and task groups as the tools answer with them. Pure.

import type * as z from "zod/mini";
import { singleLine } from "../../../base/untrusted-text.ts";
import type { toolTaskGroupSchema, toolWorkerSchema } from "../../../contract/mcp/worker-tools.ts";
import type { SeenTaskGroup } from "../../core/workspaces/task-groups/task-group.ts";
import type { SeenWorker } from "../../core/workspaces/workers/worker.ts";
import { toTaskGroup, toWorker } from "../shared/worker-view.ts";

export type ToolWorker = z.infer<typeof toolWorkerSchema>;
export type ToolTaskGroup = z.infer<typeof toolTaskGroupSchema>;

const MAX_NAME_CHARS = 255;
const MAX_ERROR_CHARS = 500;

export function toToolWorker(seen: SeenWorker): ToolWorker {
  const { id, task_group_id, working_copy_id, executor_agent_id, run_id, run_status, ...view } =
    toWorker(seen);
  return {
    ...{ id, task_group_id, copy_id: working_copy_id, agent_id: executor_agent_id, run_id, run_status },
    ...{ save_state: view.save_state, saved_revision_id: view.saved_revision_id },
    save_error: view.save_error === null ? null : singleLine(view.save_error, MAX_ERROR_CHARS),
  };
}

export function workerLine({ id, run_id, run_status, save_state, saved_revision_id }: ToolWorker): string {
  const saved = saved_revision_id === null ? "" : ` as revision ${saved_revision_id}`;
  return `Worker ${id}: run ${run_id} is ${run_status}, its changes: ${save_state}${saved}.`;
}

export function toToolTaskGroup(seen: SeenTaskGroup): ToolTaskGroup {
  const { id, name, status, budget_credits, max_workers, changeset_ids, created_at, stopped_at } =
    toTaskGroup(seen);
  return {
    ...{ id, name: singleLine(name, MAX_NAME_CHARS), status, budget_credits, max_workers },
    ...{ changeset_ids, created_at, stopped_at },
  };
}

export function taskGroupLine({ id, name, status }: ToolTaskGroup): string {
  return `Task group ${id}, ${name}: ${status}.`;
}

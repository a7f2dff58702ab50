// create_task_group, get_task_group, stop_task_group: workers with one budget and one stop.

import { ok, refused } from "../../../../../base/result.ts";
import {
  createTaskGroupTool,
  getTaskGroupTool,
  stopTaskGroupTool,
} from "../../../../../contract/mcp/worker-tools.ts";
import { createTaskGroup, readTaskGroup } from "../../../../core/workspaces/task-groups/task-groups.ts";
import { listWorkers } from "../../../../core/workspaces/workers/read-workers.ts";
import { stopTaskGroup } from "../../../../core/workspaces/workers/stop-task-group.ts";
import { answer, defineTool } from "../../tool.ts";
import { taskGroupLine, toToolTaskGroup, toToolWorker, workerLine } from "../../worker-answer.ts";

const MOST_WORKERS = 20;

export const createTaskGroupOfWorkspace = defineTool({
  name: "create_task_group",
  title: "Make a task group",
  description: "Makes a task group: workers that share a budget and are stopped together. Then start_worker.",
  hints: {},
  scopes: ["workspaces:write"],
  schemas: createTaskGroupTool,
  run: async (
    { workspace_id: workspaceId, idempotency_key: idempotencyKey = null, ...body },
    { core, caller },
  ) => {
    const made = await createTaskGroup(core, { caller, workspaceId, body, idempotencyKey });
    if (!made.ok) return made;
    const group = toToolTaskGroup(made.value);
    return ok(answer(group, taskGroupLine(group)));
  },
});

export const getTaskGroupById = defineTool({
  name: "get_task_group",
  title: "Get a task group",
  description:
    "A task group with its newest workers: how their runs stand, and what of their changes is saved.",
  hints: { isReadOnly: true },
  scopes: ["workspaces:read"],
  schemas: getTaskGroupTool,
  run: async ({ task_group_id: taskGroupId }, { core, caller }) => {
    const found = await readTaskGroup(core, { caller, taskGroupId });
    if (!found.ok) return refused(found.refusal);
    const { workspaceId } = found.value.group;
    const query = { limit: MOST_WORKERS, task_group_id: taskGroupId };
    const page = await listWorkers(core, { caller, workspaceId, query });
    if (!page.ok) return refused(page.refusal);
    const group = toToolTaskGroup(found.value);
    const workers = page.value.items.map(toToolWorker);
    const more = page.value.nextCursor === null ? {} : { workers_omitted: true as const };
    const text = [taskGroupLine(group), ...workers.map(workerLine)].join("\n");
    return ok(answer({ ...group, workers, ...more }, text));
  },
});

export const stopTaskGroupById = defineTool({
  name: "stop_task_group",
  title: "Stop a task group",
  description:
    "Cancels the runs of the group's workers, and takes no more of them. What they changed is saved.",
  hints: { isDestructive: true, isIdempotent: true },
  scopes: ["workspaces:write", "runs:write"],
  schemas: stopTaskGroupTool,
  run: async ({ task_group_id: taskGroupId }, { core, caller }) => {
    const stopped = await stopTaskGroup(core, { caller, taskGroupId });
    if (!stopped.ok) return stopped;
    const group = toToolTaskGroup(stopped.value);
    return ok(answer(group, taskGroupLine(group)));
  },
});

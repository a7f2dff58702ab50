// The tools of task groups and their workers.

import * as z from "zod/mini";
import { ok, type Result } from "../../../../base/result.ts";
import { singleLine } from "../../../../base/untrusted-text.ts";
import { field } from "../../../../contract/field.ts";
import { text } from "../../../../contract/fields.ts";
import { taskGroupRoutes } from "../../../../contract/workspaces/task-groups/routes.ts";
import {
  type TaskGroupView,
  taskGroupSchema,
} from "../../../../contract/workspaces/task-groups/task-group.ts";
import { workerRoutes } from "../../../../contract/workspaces/workers/routes.ts";
import { type WorkerView, workerSchema } from "../../../../contract/workspaces/workers/worker.ts";
import { findWorker } from "../../../core/workspaces/workers/read-workers.ts";
import { isSettled, type SeenWorker } from "../../../core/workspaces/workers/worker.ts";
import { taskGroupHandlers } from "../../http/workspaces/task-groups.ts";
import { workerHandlers } from "../../http/workspaces/workers.ts";
import type { Refusal } from "../../shared/problems/to-problem.ts";
import { toWorker } from "../../shared/worker-view.ts";
import { part } from "../answer-part.ts";
import { waitSecondsSchema } from "../follow-submitted.ts";
import { answer, bodyOf, type McpToolContext, said, tool } from "../tool.ts";

const MAX_NAME_CHARS = 255;
const MAX_ERROR_CHARS = 500;
const MAX_MESSAGE_CHARS = 1_000_000;
const MOST_WORKERS = 20;
/** A signal of another node may be lost: how often a waiting call looks by itself. */
const RECHECK_MS = 2_000;

const shownWorker = part(workerSchema, [
  "id",
  "task_group_id",
  "run_id",
  "run_status",
  "save_state",
  "saved_revision_id",
  "save_error",
]);
const { working_copy_id, executor_agent_id } = workerSchema.shape;
/** Named as the tools name its copy and its agent. */
const toolWorkerSchema = z.extend(shownWorker.schema, {
  copy_id: working_copy_id,
  agent_id: executor_agent_id,
});

function toToolWorker(worker: WorkerView): z.infer<typeof toolWorkerSchema> {
  const { working_copy_id: copy_id, executor_agent_id: agent_id, save_error } = worker;
  const error = save_error === null ? null : singleLine(save_error, MAX_ERROR_CHARS);
  return { ...shownWorker.of(worker), copy_id, agent_id, save_error: error };
}

function workerLine({ id, run_id, run_status, save_state, saved_revision_id }: WorkerView): string {
  const saved = saved_revision_id === null ? "" : ` as revision ${saved_revision_id}`;
  return `Worker ${id}: run ${run_id} is ${run_status}, its changes: ${save_state}${saved}.`;
}

const workerAnswer = (worker: WorkerView) => answer(toToolWorker(worker), workerLine(worker));

const toolGroup = part(taskGroupSchema, [
  "id",
  "name",
  "status",
  "budget_credits",
  "max_workers",
  "changeset_ids",
  "created_at",
  "stopped_at",
]);

function groupAnswer(view: TaskGroupView) {
  const group = { ...toolGroup.of(view), name: singleLine(view.name, MAX_NAME_CHARS) };
  return answer(group, `Task group ${group.id}, ${group.name}: ${group.status}.`);
}

export const workerTools = [
  tool(taskGroupRoutes.create, {
    name: "create_task_group",
    title: "Make a task group",
    description:
      "Makes a task group: workers that share a budget and are stopped together. Then start_worker.",
    hints: {},
    output: toolGroup.schema,
    run: async (request, { core }) => said(await taskGroupHandlers(core).create(request), groupAnswer),
  }),
  tool(taskGroupRoutes.get, {
    name: "get_task_group",
    title: "Get a task group",
    description:
      "A task group with its newest workers: how their runs stand, and what of their changes is saved.",
    hints: { isReadOnly: true },
    output: z.extend(toolGroup.schema, {
      workers: z.array(toolWorkerSchema),
      workers_omitted: z.optional(z.literal(true)),
    }),
    run: async (request, { core, submitter }) => {
      const found = await taskGroupHandlers(core).get(request);
      if (!found.ok) return found;
      const view = bodyOf(found.value);
      const params = { workspaceID: view.workspace_id };
      const query = { limit: MOST_WORKERS, task_group_id: view.id };
      const page = await workerHandlers({ core, submitter }).list({ ...request, params, query });
      return said(page, ({ items, next_cursor }) => {
        const group = groupAnswer(view);
        const more = next_cursor === "" ? {} : { workers_omitted: true as const };
        const lines = [group.text, ...items.map(workerLine)];
        return answer({ ...group.structured, workers: items.map(toToolWorker), ...more }, lines.join("\n"));
      });
    },
  }),
  tool(taskGroupRoutes.stop, {
    name: "stop_task_group",
    title: "Stop a task group",
    description:
      "Cancels the runs of the group's workers, and takes no more of them. What they changed is saved.",
    hints: { isDestructive: true, isIdempotent: true },
    output: toolGroup.schema,
    run: async (request, { core }) => said(await taskGroupHandlers(core).stop(request), groupAnswer),
  }),
  tool(workerRoutes.start, {
    name: "start_worker",
    title: "Start a worker",
    description:
      "Starts a run of an agent in a copy of its own, for a task group. It costs credits and may take minutes: get_worker waits for it. What it changed is saved as a revision, and becomes accepted only by a changeset.",
    hints: { isOpenWorld: true },
    takes: [
      "task_group_id",
      "message",
      "executor_agent_id",
      "working_copy_id",
      "base_revision_id",
      "idempotency_key",
    ],
    fields: {
      message: field(text(MAX_MESSAGE_CHARS), "What the worker is asked to do."),
      executor_agent_id: "A member of the workspace: its id, or its name. Left out: the manager.",
    },
    output: toolWorkerSchema,
    run: async (request, { core, submitter }) =>
      said(await workerHandlers({ core, submitter }).start(request), workerAnswer),
  }),
  tool(workerRoutes.get, {
    name: "get_worker",
    title: "Wait for a worker",
    description: "Waits until a worker's run is over and what it changed is saved, and says how both stand.",
    hints: { isReadOnly: true },
    adds: {
      wait_seconds: field(
        waitSecondsSchema,
        "How long to wait until what it did is saved, in seconds. It goes on after that.",
      ),
    },
    output: toolWorkerSchema,
    run: async ({ params, own }, context) => {
      const { workspaceID: workspaceId, workerRequestID: workerId } = params;
      const seen = await settled(context, { workspaceId, workerId, waitMs: own.wait_seconds * 1_000 });
      return seen.ok ? ok(workerAnswer(toWorker(seen.value))) : seen;
    },
  }),
];

/** The worker once its changes are saved, or as it is when the wait is over. */
async function settled(
  { core, caller, signal }: McpToolContext,
  { workspaceId, workerId, waitMs }: { workspaceId: string; workerId: string; waitMs: number },
): Promise<Result<SeenWorker, Refusal>> {
  const until = core.clock.monotonic() + waitMs;
  for (;;) {
    const listener = core.signals.listen(workerId);
    const done = new AbortController();
    try {
      const seen = await findWorker(core, { caller, workspaceId, workerId });
      const leftMs = until - core.clock.monotonic();
      const isOver = leftMs <= 0 || signal.aborted || core.signals.isClosed;
      if (!seen.ok || isSettled(seen.value.worker) || isOver) return seen;
      const either = AbortSignal.any([signal, done.signal]);
      await Promise.race([
        listener.moved,
        core.clock.sleep(Math.min(leftMs, RECHECK_MS), either).catch(() => {}),
      ]);
    } finally {
      done.abort();
      listener.stop();
    }
  }
}

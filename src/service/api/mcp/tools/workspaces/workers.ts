// start_worker, get_worker: a run in a copy of its own.

import { ok, type Result, refused } from "../../../../../base/result.ts";
import { getWorkerTool, startWorkerTool } from "../../../../../contract/mcp/worker-tools.ts";
import { findWorker } from "../../../../core/workspaces/workers/read-workers.ts";
import { startWorker } from "../../../../core/workspaces/workers/start-worker.ts";
import { isSettled, type SeenWorker } from "../../../../core/workspaces/workers/worker.ts";
import type { Refusal } from "../../../shared/problems/to-problem.ts";
import { findNamedAgent } from "../../find-agent.ts";
import { answer, defineTool, type ToolContext } from "../../tool.ts";
import { toToolWorker, workerLine } from "../../worker-answer.ts";

/** A signal of another node may be lost: how often a waiting call looks by itself. */
const RECHECK_MS = 2_000;

export const startWorkerOfGroup = defineTool({
  name: "start_worker",
  title: "Start a worker",
  description:
    "Starts a run of an agent in a copy of its own, for a task group. It costs credits and may take minutes: get_worker waits for it. What it changed is saved as a revision, and becomes accepted only by a changeset.",
  hints: { isOpenWorld: true },
  scopes: ["workspaces:write", "runs:write"],
  schemas: startWorkerTool,
  run: async (args, { core, submitter, caller }) => {
    const { workspace_id: workspaceId, task_group_id, message, agent: named, copy_id, revision_id } = args;
    const agent = named === undefined ? null : await findNamedAgent({ core, caller }, named);
    if (agent !== null && !agent.ok) return refused(agent.refusal);
    const started = await startWorker(core, submitter, {
      ...{ caller, workspaceId, idempotencyKey: args.idempotency_key ?? null },
      body: {
        ...{ task_group_id, message },
        ...(agent === null ? {} : { executor_agent_id: agent.value.id }),
        ...(copy_id === undefined ? {} : { working_copy_id: copy_id }),
        ...(revision_id === undefined ? {} : { base_revision_id: revision_id }),
      },
    });
    if (!started.ok) return started;
    const worker = toToolWorker(started.value.worker);
    return ok(answer(worker, workerLine(worker)));
  },
});

export const getWorkerById = defineTool({
  name: "get_worker",
  title: "Wait for a worker",
  description: "Waits until a worker's run is over and what it changed is saved, and says how both stand.",
  hints: { isReadOnly: true },
  scopes: ["workspaces:read"],
  schemas: getWorkerTool,
  run: async ({ workspace_id: workspaceId, worker_id: workerId, wait_seconds }, context) => {
    const seen = await settled(context, { workspaceId, workerId, waitMs: wait_seconds * 1_000 });
    if (!seen.ok) return refused(seen.refusal);
    const worker = toToolWorker(seen.value);
    return ok(answer(worker, workerLine(worker)));
  },
});

/** The worker once its changes are saved, or as it is when the wait is over. */
async function settled(
  { core, caller, signal }: ToolContext,
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

// Stops a task group, and the runs of its workers.

import type { Result } from "../../../../base/result.ts";
import { isTerminal } from "../../../../contract/runs/run.ts";
import type { Core } from "../../core.ts";
import { announce, type CancelledRuns, cancelTree } from "../../runs/end-run.ts";
import type { TaskGroupRefusal } from "../task-groups/refusals.ts";
import type { SeenTaskGroup } from "../task-groups/task-group.ts";
import { type GroupRequest, reachTaskGroup, readTaskGroup } from "../task-groups/task-groups.ts";

/**
 * Takes no more workers, and cancels the runs of those there are, with what they delegated. A worker that is started at the same
 * time is cancelled too, or refused. Safe to repeat.
 */
export async function stopTaskGroup(
  core: Core,
  request: GroupRequest,
): Promise<Result<SeenTaskGroup, TaskGroupRefusal>> {
  const { taskGroupId } = request;
  const reached = await reachTaskGroup(core, request);
  if (!reached.ok) return reached;
  await core.store.transact(async (tx) => {
    await tx.taskGroups.lock(taskGroupId);
    const now = core.clock.now();
    await tx.taskGroups.stop(taskGroupId, now);
    const moves = [{ what: "task_group", id: taskGroupId, state: "stopped" }] as const;
    await tx.workspaceEvents.append({ workspaceId: reached.value.workspaceId, moves, now });
  });
  core.signals.publish(reached.value.workspaceId);
  // From here on there are no new ones. One transaction a run: it locks the run's whole tree.
  for (const runId of await core.store.committed.workers.listUnfinishedRuns(taskGroupId)) {
    const cancelled = await core.store.transact(async (tx): Promise<CancelledRuns> => {
      const run = await tx.runs.lock(runId);
      return run === null || isTerminal(run.status) ? [] : await cancelTree(core, tx, run);
    });
    announce(core, cancelled);
  }
  return await readTaskGroup(core, request);
}

// Workers and task groups as the contract shows them. Pure.

import type { RunStatus } from "../../../contract/runs/run.ts";
import type { TaskGroupView } from "../../../contract/workspaces/task-groups/task-group.ts";
import type { SaveState, WorkerView } from "../../../contract/workspaces/workers/worker.ts";
import { creditsOf } from "../../core/money/ledger.ts";
import { isoTime } from "../../core/ports/problem.ts";
import type { SeenTaskGroup, WorkerCount } from "../../core/workspaces/task-groups/task-group.ts";
import type { SeenWorker } from "../../core/workspaces/workers/worker.ts";

export function toWorker({ worker, runStatus }: SeenWorker): WorkerView {
  return {
    id: worker.id,
    workspace_id: worker.workspaceId,
    task_group_id: worker.taskGroupId,
    working_copy_id: worker.copyId,
    executor_agent_id: worker.agentId,
    run_id: worker.runId,
    run_status: runStatus,
    save_state: worker.saveState,
    saved_revision_id: worker.savedRevisionId,
    save_error: worker.saveError,
    created_by: worker.createdBy,
    created_at: isoTime(worker.createdAt),
    saved_at: worker.savedAt === null ? null : isoTime(worker.savedAt),
  };
}

export function toTaskGroup({ group, counts, changesetIds }: SeenTaskGroup): TaskGroupView {
  const { budgetMicroUsd, stoppedAt } = group;
  const runs = (status: RunStatus) => sumOf(counts.filter(({ runStatus }) => runStatus === status));
  const saves = (state: SaveState) => sumOf(counts.filter(({ saveState }) => saveState === state));
  return {
    id: group.id,
    workspace_id: group.workspaceId,
    name: group.name,
    status: group.status,
    // Rounded up when it was set.
    budget_credits: budgetMicroUsd === null ? null : Math.floor(creditsOf(budgetMicroUsd)),
    max_workers: group.maxWorkers,
    workers: {
      total: sumOf(counts),
      by_run_status: {
        queued: runs("queued"),
        running: runs("running"),
        cancelling: runs("cancelling"),
        completed: runs("completed"),
        failed: runs("failed"),
        cancelled: runs("cancelled"),
      },
      by_save_state: {
        none: saves("none"),
        saving: saves("saving"),
        saved: saves("saved"),
        unchanged: saves("unchanged"),
        failed: saves("failed"),
      },
    },
    changeset_ids: [...changesetIds],
    created_by: group.createdBy,
    created_at: isoTime(group.createdAt),
    stopped_at: stoppedAt === null ? null : isoTime(stoppedAt),
  };
}

function sumOf(counts: readonly WorkerCount[]): number {
  return counts.reduce((sum, { workers }) => sum + workers, 0);
}

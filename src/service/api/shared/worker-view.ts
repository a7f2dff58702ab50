// Workers and task groups as the contract shows them. Pure.

import type { RunStatus } from "../../../contract/runs/run.ts";
import { type TaskGroupView, taskGroupSchema } from "../../../contract/workspaces/task-groups/task-group.ts";
import {
  type SaveState,
  type WorkerView,
  workerSchema,
} from "../../../contract/workspaces/workers/worker.ts";
import { creditsOf } from "../../core/money/ledger.ts";
import type { SeenTaskGroup, TaskGroup, WorkerCount } from "../../core/workspaces/task-groups/task-group.ts";
import type { SeenWorker, Worker } from "../../core/workspaces/workers/worker.ts";
import { viewOf } from "./view-of.ts";

const shownWorker = viewOf<Worker, "copyId" | "agentId" | "shareMicroUsd">()(workerSchema);

export function toWorker({ worker, runStatus }: SeenWorker): WorkerView {
  return shownWorker(worker, {
    working_copy_id: worker.copyId,
    executor_agent_id: worker.agentId,
    run_status: runStatus,
  });
}

const shownTaskGroup = viewOf<TaskGroup, "accountId" | "budgetMicroUsd">()(taskGroupSchema);

export function toTaskGroup({ group, counts, changesetIds }: SeenTaskGroup): TaskGroupView {
  const { budgetMicroUsd } = group;
  const runs = (status: RunStatus) => sumOf(counts.filter(({ runStatus }) => runStatus === status));
  const saves = (state: SaveState) => sumOf(counts.filter(({ saveState }) => saveState === state));
  return shownTaskGroup(group, {
    // Rounded up when it was set.
    budget_credits: budgetMicroUsd === null ? null : Math.floor(creditsOf(budgetMicroUsd)),
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
  });
}

function sumOf(counts: readonly WorkerCount[]): number {
  return counts.reduce((sum, { workers }) => sum + workers, 0);
}

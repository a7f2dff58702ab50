// A task group: workers with one budget and one stop. Times are milliseconds since the epoch, money is micro-USD. Pure.

import type { RunStatus } from "../../../../contract/runs/run.ts";
import type { TaskGroupStatus } from "../../../../contract/workspaces/task-groups/task-group.ts";
import type { SaveState } from "../../../../contract/workspaces/workers/worker.ts";
import type { Actor } from "../actor.ts";

export type TaskGroup = {
  readonly id: string;
  readonly workspaceId: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: TaskGroupStatus;
  /** Null: none of its own. */
  readonly budgetMicroUsd: number | null;
  /** At work or queued at a time. */
  readonly maxWorkers: number;
  readonly createdBy: Actor;
  readonly createdAt: number;
  readonly stoppedAt: number | null;
};

/** The count of workers whose run and whose save stand so. */
export type WorkerCount = {
  readonly runStatus: RunStatus;
  readonly saveState: SaveState;
  readonly workers: number;
};

/** The use of a group by its workers. */
export type GroupUse = {
  readonly inFlight: number;
  /** Of runs that have ended what they cost, of the others what they may. */
  readonly microUsd: number;
};

/** With how its workers are. */
export type SeenTaskGroup = {
  readonly group: TaskGroup;
  readonly counts: readonly WorkerCount[];
  readonly changesetIds: readonly string[];
};

/** The share that one more run may cost: what is left, spread over the workers that still fit. Null where the group has no budget. */
export function shareOf(
  { budgetMicroUsd, maxWorkers }: Pick<TaskGroup, "budgetMicroUsd" | "maxWorkers">,
  { inFlight, microUsd }: GroupUse,
): number | null {
  if (budgetMicroUsd === null) return null;
  const left = Math.max(0, budgetMicroUsd - microUsd);
  return Math.floor(left / Math.max(1, maxWorkers - inFlight));
}

// A worker: a run in a copy, for a task group. Times are milliseconds since the epoch. Pure.

import type { RunStatus } from "../../../../contract/runs/run.ts";
import type { SaveState } from "../../../../contract/workspaces/workers/worker.ts";
import type { Actor } from "../actor.ts";

export type Worker = {
  readonly id: string;
  readonly workspaceId: string;
  readonly taskGroupId: string;
  readonly copyId: string;
  readonly agentId: string;
  readonly runId: string;
  readonly saveState: SaveState;
  readonly savedRevisionId: string | null;
  /** One line for a reader. */
  readonly saveError: string | null;
  /** The share of its group's budget that its run may cost. Null: the group has none. */
  readonly shareMicroUsd: number | null;
  readonly createdBy: Actor;
  readonly createdAt: number;
  readonly savedAt: number | null;
};

/** With where its run stands. */
export type SeenWorker = { readonly worker: Worker; readonly runStatus: RunStatus };

export type WorkerSave = Pick<Worker, "saveState" | "savedRevisionId" | "saveError" | "savedAt">;

/** Nothing of its changes is to be saved any more. */
export function isSettled({ saveState }: Pick<Worker, "saveState">): boolean {
  return saveState !== "none" && saveState !== "saving";
}

// Workers of task groups. Implemented in store/workspaces/workers.ts.

import type { SeenWorker, Worker, WorkerSave } from "./worker.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly workers: WorkerReader;
  }
  interface StoreTransaction {
    readonly workers: WorkerStore;
  }
}

export type WorkerPage = {
  readonly workspaceId: string;
  /** Null: of every group. */
  readonly taskGroupId: string | null;
  /** The id of a worker: only those made before it. With null from the newest on. */
  readonly before: string | null;
  readonly limit: number;
};

interface WorkerReader {
  find(id: string): Promise<SeenWorker | null>;
  /** Those that are there, in no order. */
  findAll(ids: readonly string[]): Promise<readonly SeenWorker[]>;
  /** Newest first. */
  list(page: WorkerPage): Promise<readonly SeenWorker[]>;
  /** Those whose run has ended and does not hold its copy any more, and whose changes are neither saved nor given up. Oldest first. */
  listUnsettled(query: { now: number; limit: number }): Promise<readonly Worker[]>;
  /** The runs of a group's workers that have not ended, oldest first. */
  listUnfinishedRuns(taskGroupId: string): Promise<readonly string[]>;
}

export interface WorkerStore extends WorkerReader {
  insert(worker: Worker): Promise<void>;
  /** Locks it until the transaction ends. */
  lock(id: string): Promise<Worker | null>;
  /** Where its changes are not settled yet. */
  setSave(id: string, save: WorkerSave): Promise<void>;
}

// Task groups. Implemented in store/workspaces/task-groups.ts.

import type { GroupUse, TaskGroup, WorkerCount } from "./task-group.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly taskGroups: TaskGroupReader;
  }
  interface StoreTransaction {
    readonly taskGroups: TaskGroupStore;
  }
}

export type TaskGroupPage = {
  readonly workspaceId: string;
  /** The id of a group: only those made before it. With null from the newest on. */
  readonly before: string | null;
  readonly limit: number;
};

interface TaskGroupReader {
  find(id: string): Promise<TaskGroup | null>;
  /** Newest first. */
  list(page: TaskGroupPage): Promise<readonly TaskGroup[]>;
  /** The states of the workers of these groups. */
  countWorkers(ids: readonly string[]): Promise<ReadonlyMap<string, readonly WorkerCount[]>>;
  /** Those that were made for these groups, oldest first. */
  changesetIds(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  useOf(id: string): Promise<GroupUse>;
}

export interface TaskGroupStore extends TaskGroupReader {
  insert(group: TaskGroup): Promise<void>;
  /** Locks it until the transaction ends. */
  lock(id: string): Promise<TaskGroup | null>;
  stop(id: string, now: number): Promise<void>;
}

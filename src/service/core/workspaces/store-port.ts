// Workspaces and their erasure, as the core reads and writes them. Implemented in store/workspaces/workspaces.ts and
// store/workspaces/erasure.ts.

import type { WorkspaceState } from "../../../contract/workspaces/workspace/workspace.ts";
import type { Workspace } from "./workspace.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly workspaces: WorkspaceReader;
  }
  interface StoreTransaction {
    readonly workspaces: WorkspaceStore;
    readonly erasure: ErasureStore;
  }
}

export type WorkspacePage = {
  readonly accountId: string;
  /** The id of a workspace: only those made before it. With null from the newest on. */
  readonly before: string | null;
  readonly limit: number;
};

/** Changes by its owner. */
export type WorkspaceChange = Partial<
  Omit<Workspace, "id" | "accountId" | "state" | "canonicalCopyId" | "currentRevisionId" | "createdAt">
>;

export interface WorkspaceReader {
  find(id: string): Promise<Workspace | null>;
  /** Whether there is one, of whichever account. */
  hasAny(): Promise<boolean>;
  /** The oldest run that works in the workspace, or is going to. */
  findUnfinishedRun(workspaceId: string): Promise<string | null>;
  /** An account's workspaces that are not being erased. */
  count(accountId: string): Promise<number>;
  /** Newest first. */
  list(page: WorkspacePage): Promise<readonly Workspace[]>;
  /** Those that the agent is a member of, oldest first. */
  listOfAgent(agentId: string): Promise<readonly Workspace[]>;
  /** The ids of those that the agent manages and that are not being erased, oldest first. */
  listManagedBy(agentId: string): Promise<readonly string[]>;
}

export interface WorkspaceStore extends WorkspaceReader {
  insert(workspace: Workspace): Promise<void>;
  setCurrentRevision(move: { id: string; revisionId: string }): Promise<void>;
  /** The caller holds its lock. */
  setState(change: { id: string; state: WorkspaceState }): Promise<void>;
  /** Keeps it as it is until the transaction ends. Others do so at the same time. */
  share(id: string): Promise<Workspace | null>;
  /** Writes the fields of `change`; the caller holds the workspace's lock. */
  update(id: string, change: WorkspaceChange): Promise<void>;
  /** Locks it until the transaction ends. */
  lock(id: string): Promise<Workspace | null>;
}

export interface ErasureStore {
  /** From now on nobody writes to the workspace, nor to any of its copies. */
  begin(workspaceId: string): Promise<void>;
  /** Deletes some of its files' rows, `limit` at most. Returns how many, and the keys of the blobs that were theirs. */
  eraseFiles(step: {
    workspaceId: string;
    limit: number;
  }): Promise<{ readonly rows: number; readonly blobKeys: readonly string[] }>;
  /** Deletes the rest, the workspace itself included. Its operations stay. */
  eraseRest(workspaceId: string): Promise<void>;
}

// Workspaces themselves. Implemented in store/workspaces/workspaces.ts.

import type { Workspace } from "../../../workspaces/workspace.ts";

export type WorkspacePage = {
  readonly accountId: string;
  /** The id of a workspace: only those made before it. With null from the newest on. */
  readonly before: string | null;
  readonly limit: number;
};

export interface WorkspaceReader {
  find(id: string): Promise<Workspace | null>;
  /** Newest first. */
  list(page: WorkspacePage): Promise<readonly Workspace[]>;
}

export interface WorkspaceStore extends WorkspaceReader {
  insert(workspace: Workspace): Promise<void>;
  setCurrentRevision(move: { id: string; revisionId: string }): Promise<void>;
  /** Keeps it as it is until the transaction ends. Others do so at the same time. */
  share(id: string): Promise<Workspace | null>;
  /** Locks it until the transaction ends. */
  lock(id: string): Promise<Workspace | null>;
}

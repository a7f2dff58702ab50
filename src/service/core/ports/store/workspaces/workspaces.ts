// Workspaces themselves. Implemented in store/workspaces/workspaces.ts.

import type { WorkspaceState } from "../../../../../contract/workspaces/workspace/workspace.ts";
import type { Workspace } from "../../../workspaces/workspace.ts";

export type WorkspacePage = {
  readonly accountId: string;
  /** The id of a workspace: only those made before it. With null from the newest on. */
  readonly before: string | null;
  readonly limit: number;
};

/** What its owner changes. */
export type WorkspaceChange = Partial<Pick<Workspace, "name" | "managerAgentId" | "metadata">>;

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

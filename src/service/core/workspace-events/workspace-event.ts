// An event of a workspace, as it is stored. Pure.

import type { WorkspaceMove } from "../../../contract/workspaces/workspace-events.ts";

export type StoredWorkspaceEvent = WorkspaceMove & {
  /** 1, 2, 3 … of its workspace, in the order in which the changes were committed. */
  readonly seq: number;
  readonly at: number;
};

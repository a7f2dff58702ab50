// A workspace and its members, as they are stored. Times are milliseconds since the epoch. Pure.

import type { WorkspaceState } from "../../../contract/workspaces/workspace/workspace.ts";

export type Workspace = {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Every workspace has one. */
  readonly managerAgentId: string;
  readonly state: WorkspaceState;
  /** The copy whose base is the current revision. */
  readonly canonicalCopyId: string;
  /** The accepted root. A new workspace has one without files. */
  readonly currentRevisionId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
};

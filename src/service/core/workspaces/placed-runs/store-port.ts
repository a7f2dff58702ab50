// The port to the places of runs in workspaces. Implemented in store/workspaces/workspace-runs.ts.

import type { WorkspaceThingsPage } from "../../ports/workspace-page.ts";
import type { RunRecord, RunWorkspace } from "../../runs/run-record.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly workspaceRuns: WorkspaceRunReader;
  }
  interface StoreTransaction {
    readonly workspaceRuns: WorkspaceRunStore;
  }
}

/** The place of a run. */
export type WorkspaceRun = RunWorkspace & {
  readonly runId: string;
  readonly agentId: string;
  /**
   * The commit of the files as the run found them, which its journal is beside. It is kept until the run has ended. Null: the run has
   * not begun, or keeps no journal.
   */
  readonly begunCommitOid: string | null;
  readonly createdAt: number;
};

export type WorkspaceRunPage = WorkspaceThingsPage & {
  /** Null: those of every copy, and of none. */
  readonly copyId: string | null;
};

/** Runs that are summed: those of a workspace or of a task group, and those that they delegated. */
export type CostQuery = {
  readonly of: { readonly workspaceId: string } | { readonly taskGroupId: string };
  /** Submitted at this time or later. */
  readonly since: number | null;
  /** Submitted before this time. */
  readonly until: number | null;
  /** The id of a run: only those after it. */
  readonly after: string | null;
  readonly limit: number;
};

interface WorkspaceRunReader {
  /** The place of each of these runs. Those that work in no workspace are left out. */
  find(runIds: readonly string[]): Promise<readonly WorkspaceRun[]>;
  /** Newest first. */
  list(page: WorkspaceRunPage): Promise<readonly RunRecord[]>;
  /** The oldest run in a copy that is going to work there, or does. */
  findUnfinishedIn(copyId: string): Promise<string | null>;
  /** Oldest first. */
  listForCosts(query: CostQuery): Promise<readonly RunRecord[]>;
}

export interface WorkspaceRunStore extends WorkspaceRunReader {
  insert(run: WorkspaceRun): Promise<void>;
  /** Safe to repeat. */
  begin(begun: { readonly runId: string; readonly commitOid: string }): Promise<void>;
}

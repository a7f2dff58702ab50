// The port to the events of workspaces. Implemented in store/workspaces/events.ts.

import type { WorkspaceMove } from "../../../contract/workspaces/workspace-events.ts";
import type { StoredWorkspaceEvent } from "./workspace-event.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly workspaceEvents: WorkspaceEventReader;
  }
  interface StoreTransaction {
    readonly workspaceEvents: WorkspaceEventStore;
  }
}

interface WorkspaceEventReader {
  /** Those behind `after`, in order. */
  list(query: {
    workspaceId: string;
    after: number;
    limit: number;
  }): Promise<readonly StoredWorkspaceEvent[]>;
  /** The number of the last one, and of the first that is kept. Both 0 where nothing has moved. */
  ends(workspaceId: string): Promise<{ readonly first: number; readonly last: number }>;
}

export interface WorkspaceEventStore extends WorkspaceEventReader {
  /**
   * In the transaction that moved them, and last in it: until its end, nobody else's events of the workspace are numbered.
   * Whoever commits it wakes the readers (`core.signals.publish` with the workspace's id).
   */
  append(moved: { workspaceId: string; moves: readonly WorkspaceMove[]; now: number }): Promise<void>;
}

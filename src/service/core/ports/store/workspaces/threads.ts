// The sessions of workspaces. Implemented in store/workspaces/threads.ts.

import type { Thread } from "../../../workspaces/threads/thread.ts";
import type { WorkspaceThingsPage } from "./page.ts";

export interface ThreadReader {
  find(id: string): Promise<Thread | null>;
  /** Newest first. */
  list(page: WorkspaceThingsPage): Promise<readonly Thread[]>;
}

export interface ThreadStore extends ThreadReader {
  /** Nothing is written where the session is one of a workspace already. */
  insert(thread: Thread): Promise<void>;
}

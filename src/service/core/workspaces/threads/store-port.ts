// The sessions of workspaces. Implemented in store/workspaces/threads.ts.

import type { WorkspaceThingsPage } from "../../ports/workspace-page.ts";
import type { Thread } from "./thread.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly threads: ThreadReader;
  }
  interface StoreTransaction {
    readonly threads: ThreadStore;
  }
}

interface ThreadReader {
  find(id: string): Promise<Thread | null>;
  /** Newest first. */
  list(page: WorkspaceThingsPage): Promise<readonly Thread[]>;
}

export interface ThreadStore extends ThreadReader {
  /** Nothing is written where the session is one of a workspace already. */
  insert(thread: Thread): Promise<void>;
}

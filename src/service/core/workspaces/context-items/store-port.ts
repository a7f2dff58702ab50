// The port to the context items of workspaces. Implemented in store/workspaces/context-items.ts.

import type { WorkspaceThingsPage } from "../../ports/workspace-page.ts";
import type { ContextItem } from "./context-item.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly contextItems: ContextItemReader;
  }
  interface StoreTransaction {
    readonly contextItems: ContextItemStore;
  }
}

interface ContextItemReader {
  find(id: string): Promise<ContextItem | null>;
  /** Newest first. */
  list(page: WorkspaceThingsPage): Promise<readonly ContextItem[]>;
  /** The count of a workspace's items, and the bytes of their contents. */
  measure(workspaceId: string): Promise<{ readonly items: number; readonly bytes: number }>;
}

export interface ContextItemStore extends ContextItemReader {
  insert(item: ContextItem): Promise<void>;
  /** False where it is not there any more: another request has deleted it. */
  delete(id: string): Promise<boolean>;
}

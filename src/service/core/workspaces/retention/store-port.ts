// The port to the retention of workspaces' contents. Implemented in store/workspaces/retention.ts.

import type { CleanupItem, Pin, RetentionUsage } from "./retention.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly retention: RetentionReader;
  }
  interface StoreTransaction {
    readonly retention: RetentionStore;
  }
}

export type CleanupPage = {
  readonly workspaceId: string;
  readonly now: number;
  /** Only what comes after it. */
  readonly after: CleanupPlace | null;
  readonly limit: number;
};

/** The time from which an item is kept for a while, and its id. */
export type CleanupPlace = { readonly at: number; readonly id: string };

interface RetentionReader {
  findPin(id: string): Promise<Pin | null>;
  /** Newest first. */
  listPins(page: { workspaceId: string; before: string | null; limit: number }): Promise<readonly Pin[]>;
  /** Things that nothing needs, the oldest first. */
  listCleanup(page: CleanupPage): Promise<readonly (CleanupItem & CleanupPlace)[]>;
  measure(workspaceId: string): Promise<RetentionUsage>;
  /** Ids of revisions that nothing needs, made before `madeBefore`, of all workspaces. */
  listUnused(query: { madeBefore: number; now: number; limit: number }): Promise<readonly string[]>;
  /** Ids of workspaces whose objects were swept, or that were made, before `sweptBefore`. */
  listUnswept(query: { sweptBefore: number; limit: number }): Promise<readonly string[]>;
}

export interface RetentionStore extends RetentionReader {
  insertPin(pin: Pin): Promise<void>;
  /** Null where it is not there any more. */
  deletePin(id: string): Promise<Pin | null>;
  /** Empties the trash of what was put there before `deletedBefore`: at most `limit`. Returns how many. */
  purgeTrash(step: { deletedBefore: number; limit: number }): Promise<number>;
  /** True for the one that may sweep the workspace's objects. Safe to race. */
  claimSweep(claim: { workspaceId: string; sweptBefore: number; now: number }): Promise<boolean>;
}

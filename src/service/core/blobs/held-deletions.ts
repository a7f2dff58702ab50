// Deletions of blobs that wait while a backup is made of one time: what its rows name stays until it was copied.
// Why: docs/decisions/104-a-backup-is-rows-and-blobs.md

import type { Clock } from "../../../base/clock.ts";
import type { Store } from "../ports/store.ts";
import { type BlobStore, BlobStoreError } from "./blob-store.ts";

/** The name of a running backup's mark, among the service's own values. It is no secret. */
export const BACKUP_HOLD = "backup_hold";
/** A backup says it again within this time, or has died. */
export const HOLD_MS = 60_000;

const ASK_EVERY_MS = 500;

/** `isStopping`: the node stops, and waits for nothing any more. What was not deleted is found again. */
export function holdDeletions(
  blobs: BlobStore,
  { store, clock, isStopping }: { store: Store; clock: Clock; isStopping: () => boolean },
): BlobStore {
  return {
    ...blobs,
    delete: async (keys) => {
      while (await store.committed.blobs.isDeletionHeld()) {
        if (isStopping()) throw new BlobStoreError("A backup is being made: nothing is deleted meanwhile.");
        await clock.sleep(ASK_EVERY_MS);
      }
      await blobs.delete(keys);
    },
  };
}

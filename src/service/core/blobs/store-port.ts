// Rows of blobs: a row is written before its blob and deleted after it, so that no blob is forgotten. Implemented in
// store/blobs.ts.

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly blobs: BlobReader;
  }
  interface StoreTransaction {
    readonly blobs: BlobRowStore;
  }
}

interface BlobReader {
  /** Blobs that nothing names any more, the first that were left. `folder`: those alone whose keys begin with it. */
  listDiscarded(limit: number, folder?: string): Promise<readonly string[]>;
  /** The count of blobs whose keys begin with `folder` that are to be deleted, or may still be written. */
  countLeft(folder: string): Promise<number>;
  /** The count of kept ones, and some of them: the newest and the oldest, `limit` at most. */
  sampleKept(limit: number): Promise<{
    readonly kept: number;
    readonly sample: readonly { readonly key: string; readonly bytes: number }[];
  }>;
  /** Whether a backup is being made. By the time of the database, as the backup has it. */
  isDeletionHeld(): Promise<boolean>;
  /** Whether somebody who read the blob found it missing or damaged. */
  isLost(key: string): Promise<boolean>;
}

export interface BlobRowStore extends BlobReader {
  /** Blobs that are about to be written. */
  begin(blobs: { keys: readonly string[]; now: number }): Promise<void>;
  /** The blob is there and is named from now on. Safe to repeat. False where its row is gone, or discarded. */
  keep(blob: { key: string; bytes: number; now: number }): Promise<boolean>;
  /** Nothing names them any more: they are to be deleted. Safe to repeat. */
  discard(blobs: { keys: readonly string[]; now: number }): Promise<void>;
  /** Discards those whose writing began before `begunBefore` and has not ended: at most `limit`. Returns how many. */
  discardUnfinished(step: { begunBefore: number; now: number; limit: number }): Promise<number>;
  /** Remembers that the blob was found missing or damaged; null: that it is whole. Safe to repeat. */
  markLost(blob: { key: string; lostAt: number | null }): Promise<void>;
  /** They are deleted. Only discarded ones are forgotten. */
  forget(keys: readonly string[]): Promise<void>;
}

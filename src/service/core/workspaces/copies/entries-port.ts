// Entries of copies, and their trash, as the core reads and writes them. Implemented in store/workspaces/copy-entries.ts and
// store/workspaces/trash.ts.

import type { CopyEntry, StoredFile, TrashItem } from "./copy-entry.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly copyEntries: CopyEntryReader;
    readonly trash: TrashReader;
  }
  interface StoreTransaction {
    readonly copyEntries: CopyEntryStore;
    readonly trash: TrashStore;
  }
}

/** In byte order of paths, from `from` on, up to and not including `before`. Null: from the start, to the end. */
export type EntryRange = {
  readonly copyId: string;
  readonly from: string | null;
  readonly before: string | null;
  readonly limit: number;
};

export interface CopyEntryReader {
  find(entry: { copyId: string; path: string }): Promise<CopyEntry | null>;
  /** In no order; those that are not there are left out. */
  findAll(entries: { copyId: string; paths: readonly string[] }): Promise<readonly CopyEntry[]>;
  list(range: EntryRange): Promise<readonly CopyEntry[]>;
  /** Those of the folders in which a file was written, at whatever depth. */
  findWritten(entries: { copyId: string; folders: readonly string[] }): Promise<ReadonlySet<string>>;
  /** All of a copy as they are at one time, in no order. */
  listAll(copyId: string): Promise<readonly CopyEntry[]>;
}

export type EntryWrite = {
  readonly copyId: string;
  readonly entry: CopyEntry;
  /** The file that the entry has to be for the write to happen: null where it is to be a deletion. */
  readonly expected: StoredFile | null;
};

export interface CopyEntryStore extends CopyEntryReader {
  /** False where the entry is another one than expected: nothing is written. */
  replace(write: EntryWrite): Promise<boolean>;
  /** Writes many, whatever was there. */
  put(entries: { copyId: string; entries: readonly CopyEntry[] }): Promise<void>;
  remove(entries: { copyId: string; paths: readonly string[] }): Promise<void>;
  /** Of a locked copy, removes those that are still the same file, or deletion; what was written at these paths since stays. */
  removeSame(entries: { copyId: string; entries: readonly CopyEntry[] }): Promise<void>;
  /** Removes some of a copy. Returns how many: 0 when none is left. */
  clear(step: { copyId: string; limit: number }): Promise<number>;
  /** Makes entries where there are none. Returns the paths that were made. */
  insert(entries: { copyId: string; entries: readonly CopyEntry[] }): Promise<ReadonlySet<string>>;
  /**
   * Waits for whoever makes a file at one of the paths, below it, or at a folder above it; others wait until the transaction
   * ends. Files beside them are made at the same time.
   */
  claimPaths(place: { copyId: string; paths: readonly string[] }): Promise<void>;
}

interface TrashReader {
  find(item: { copyId: string; handle: string }): Promise<TrashItem | null>;
}

export interface TrashStore extends TrashReader {
  insert(item: TrashItem): Promise<void>;
  /** False where it is not there any more. */
  remove(item: { copyId: string; handle: string }): Promise<boolean>;
  /** Empties a copy's trash. Returns how many items there were. */
  purge(copyId: string): Promise<number>;
}

// The port to a whole store as it is at one time: read by a backup, written by a restore. It knows no noun: a table that a later
// migration adds is read like every other. Implemented in store/snapshot/.
// Why: docs/decisions/104-a-backup-is-rows-and-blobs.md

/** A value that a database stores in one column of one row. */
export type Cell = string | number | Uint8Array | null;
/** In the order of the table's columns. */
export type SnapshotRow = readonly Cell[];
export type TableShape = { readonly name: string; readonly columns: readonly string[] };

/** A blob that the store names. */
export type NamedBlob = {
  readonly key: string;
  readonly bytes: number;
  /** Of its contents, in hex. Null where the store does not say it. */
  readonly sha256: string | null;
  /** Whether a reader has found it missing or damaged. */
  readonly isMarkedLost?: boolean;
};

type Engine = "sqlite" | "postgresql";

/** Committed state at one time, whatever others write meanwhile. Nobody waits for it. */
export interface StoreSnapshot {
  readonly engine: Engine;
  /** The migrations that were executed, in their order. */
  readonly migrations: readonly string[];
  /** Without those of the migrations. */
  readonly tables: readonly TableShape[];
  /** The store's own name. Null where no node has given it one. */
  readonly identity: string | null;
  /** The ids of the keys that sealed values of this store need, and how many values each. */
  readonly sealedBy: readonly { readonly keyId: string; readonly values: number }[];
  /** All rows of a table, some at a time, in no order. */
  rows(table: TableShape): AsyncIterable<readonly SnapshotRow[]>;
  /** Blobs that are kept, by their keys, some at a time. */
  blobs(): AsyncIterable<readonly NamedBlob[]>;
  close(): Promise<void>;
}

/** Nothing is deleted while it is held. */
export interface DeletionHold {
  /** To be called within `HOLD_MS`. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

export type FilledTable = { readonly shape: TableShape; rows(): AsyncIterable<readonly SnapshotRow[]> };

/** A place for a store that nobody serves from. */
export interface StorePlace {
  readonly engine: Engine;
  /** The name of a table that has rows. Null where there is no store, or an empty one. */
  findFilledTable(): Promise<string | null>;
  /**
   * Replaces what is there by these rows, all or nothing, in tables as they were after `newestMigration`, and then brings the tables up
   * to date.
   */
  fill(given: { newestMigration: string; tables: readonly FilledTable[] }): Promise<void>;
  close(): Promise<void>;
}

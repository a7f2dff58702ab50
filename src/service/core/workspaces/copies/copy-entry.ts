// Entries of a copy: files that were written since its base, path by path, and those in its trash. Pure.

import type { FileMode, TreeMode } from "../objects/tree-object.ts";

export type StoredFile = { readonly mode: FileMode; readonly oid: string; readonly size: number };

export type CopyEntry = {
  readonly path: string;
  /** Null: deleted. */
  readonly file: StoredFile | null;
  readonly changedAt: number;
};

/** A file, or a folder as a tree, that was deleted and can be restored. */
export type TrashItem = {
  /** The handle that restores it. */
  readonly handle: string;
  readonly workspaceId: string;
  readonly copyId: string;
  readonly path: string;
  readonly mode: TreeMode;
  readonly oid: string;
  /** The count of its files. */
  readonly files: number;
  readonly deletedAt: number;
};

/** Who knows its token reads one file, for a while, as long as the file stays as it is. */
export type DownloadLink = {
  /** Of the token, SHA-256 in hex. */
  readonly hash: string;
  readonly workspaceId: string;
  readonly copyId: string;
  readonly path: string;
  readonly oid: string;
  readonly expiresAt: number;
};

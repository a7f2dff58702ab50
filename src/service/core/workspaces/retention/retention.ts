// Retention of a workspace's contents. Times are milliseconds since the epoch. Pure.

/** A pin, which keeps a revision from being deleted. */
export type Pin = {
  readonly id: string;
  readonly workspaceId: string;
  readonly revisionId: string;
  readonly reason: string;
  /** Null: for good. */
  readonly until: number | null;
  readonly createdAt: number;
};

/** Things that nothing needs. */
export type CleanupItem =
  | { readonly kind: "revision"; readonly revisionId: string }
  | { readonly kind: "trash"; readonly copyId: string; readonly handle: string; readonly path: string };

export type RetentionUsage = {
  /** Contents, folders and commits, each once. */
  readonly objects: number;
  readonly bytes: number;
  readonly revisions: number;
  readonly copies: number;
};

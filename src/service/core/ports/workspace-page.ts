// A page of a workspace's things.

export type WorkspaceThingsPage = {
  readonly workspaceId: string;
  /** The id of one of them: only those made before it. Null: from the newest on. */
  readonly before: string | null;
  readonly limit: number;
};

// All that a workspace is made of, deleted. Implemented in store/workspaces/erasure.ts.

export interface ErasureStore {
  /** From now on nobody writes to the workspace, nor to any of its copies. */
  begin(workspaceId: string): Promise<void>;
  /** Deletes some of its files' rows, `limit` at most. Returns how many, and the keys of the blobs that were theirs. */
  eraseFiles(step: {
    workspaceId: string;
    limit: number;
  }): Promise<{ readonly rows: number; readonly blobKeys: readonly string[] }>;
  /** Deletes the rest, the workspace itself included. Its operations stay. */
  eraseRest(workspaceId: string): Promise<void>;
}

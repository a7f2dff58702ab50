// A session of a workspace, as it is stored. Times are milliseconds since the epoch. Pure.

export type Thread = {
  /** The session's. */
  readonly id: string;
  readonly workspaceId: string;
  readonly agentId: string;
  /** Null where a run began it, or nobody said. */
  readonly title: string | null;
  readonly createdAt: number;
};

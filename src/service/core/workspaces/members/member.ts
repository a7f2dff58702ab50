// An agent that works in a workspace, as it is stored. Times are milliseconds since the epoch. Pure.

/** One of them is the workspace's manager: the workspace says which. */
export type Member = {
  readonly id: string;
  readonly workspaceId: string;
  readonly agentId: string;
  readonly createdAt: number;
};

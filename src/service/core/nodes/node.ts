// A process that serves or executes, as the operator's pages show it. Times are milliseconds since the epoch. Pure.

/** Parts of the work that a node does. */
export const nodeRoles = ["all", "api", "worker"] as const;
type NodeRole = (typeof nodeRoles)[number];

export type NodeState = {
  readonly id: string;
  /** Its machine and its process. */
  readonly name: string;
  readonly role: NodeRole;
  readonly startedAt: number;
  readonly seenAt: number;
  /** Runs that it executes at a time. 0 where it executes none. */
  readonly slots: number;
  /** The ids of the runs that it executes. */
  readonly runIds: readonly string[];
  /** Requests that it refused since it started, by reason. */
  readonly refusals: Readonly<Record<string, number>>;
};

/** Nodes that share a store write their states so often. */
export const NODE_BEAT_MS = 10_000;
/** One that was not seen for so long is taken for lost: its machine or its connection is gone. */
export const NODE_LOST_MS = 4 * NODE_BEAT_MS;

// A workflow as it is stored. Times are milliseconds since the epoch. Pure.

/** A prompt with versions 1, 2, 3 …, one of which may be active. */
export type WorkflowRecord = {
  readonly id: string;
  readonly agentId: string;
  readonly name: string;
  /** The newest. */
  readonly version: number;
  readonly activeVersion: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
};

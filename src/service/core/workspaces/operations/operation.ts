// What takes a while and is polled: queued → running → succeeded | failed. Times are milliseconds since the epoch. Pure.

export const operationStatuses = ["queued", "running", "succeeded", "failed"] as const;
export type OperationStatus = (typeof operationStatuses)[number];

export const operationKinds = [
  "checkpoint",
  "create_copy",
  "delete_copy",
  "delete_revision",
  "adopt",
  "rollback_adoption",
  "erase_workspace",
] as const;
export type OperationKind = (typeof operationKinds)[number];

export type Operation = {
  readonly id: string;
  readonly workspaceId: string;
  readonly accountId: string;
  readonly kind: OperationKind;
  readonly status: OperationStatus;
  /** What it was asked to do; each kind knows its own. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly progress: Readonly<Record<string, unknown>>;
  readonly result: Readonly<Record<string, unknown>>;
  readonly error: { readonly code: string; readonly error: string } | null;
  /** Counts those who took it up: only the latest may write. */
  readonly fence: number;
  /** Who works at it says so again and again: later, another takes it up. */
  readonly leaseUntil: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly keptUntil: number;
};

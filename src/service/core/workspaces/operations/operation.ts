// Operations, which take a while and are polled: queued → running → succeeded | failed. Times are milliseconds since the epoch.
// Pure.
// Why: docs/decisions/082-operations-outlive-their-process.md

import type { OperationKind } from "../../../../contract/workspaces/operations.ts";

export type { OperationKind } from "../../../../contract/workspaces/operations.ts";

export const operationStatuses = ["queued", "running", "succeeded", "failed"] as const;
type OperationStatus = (typeof operationStatuses)[number];

/** The progress of an operation; each kind has its own words for that. */
export type OperationProgress = Readonly<Record<string, string | number>>;

export type OperationResult = {
  readonly revisionId?: string;
  /** True where nothing had changed, so that there is no new revision. */
  readonly isUnchanged?: boolean;
  readonly copyId?: string;
};

/** As its caller is told of it. */
export type OperationError = { readonly code: string; readonly error: string };

export type OperationEnd =
  | { readonly status: "succeeded"; readonly result: OperationResult }
  | { readonly status: "failed"; readonly error: OperationError };

export type Operation = {
  readonly id: string;
  readonly workspaceId: string;
  readonly accountId: string;
  readonly kind: OperationKind;
  readonly status: OperationStatus;
  /** Its input; each kind knows its own. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly progress: OperationProgress;
  /** Empty until it has succeeded. */
  readonly result: OperationResult;
  /** Null unless it has failed. */
  readonly error: OperationError | null;
  /** Counts those who took it up: only the latest may write. */
  readonly fence: number;
  /** The count of failures by a fault of the service itself. */
  readonly faults: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly keptUntil: number;
};

/** The time for which an operation is kept after its end. */
export const OPERATION_KEPT_MS = 30 * 24 * 60 * 60_000;
/** The time for which an operation may wait for its next attempt. */
export const LONGEST_DELAY_MS = 10 * 60_000;
/** Who works at an operation says so three times within this: later, another takes it up. */
export const OPERATION_LEASE_MS = 9_000;

type OperationRequest = Pick<Operation, "workspaceId" | "accountId" | "kind" | "input"> & {
  readonly id: string;
  readonly now: number;
};

/** One that its requester works at from the start: nobody else takes it up for the length of a lease. */
export function queuedOperation({ now, ...request }: OperationRequest): Operation {
  return {
    ...request,
    status: "queued",
    progress: {},
    result: {},
    error: null,
    fence: 1,
    faults: 0,
    createdAt: now,
    endedAt: null,
    keptUntil: Number.MAX_SAFE_INTEGER,
  };
}

/** One that was done within its request. */
export function doneOperation(request: OperationRequest, result: OperationResult): Operation {
  const { now } = request;
  const ended = { endedAt: now, keptUntil: now + OPERATION_KEPT_MS };
  return { ...queuedOperation(request), ...ended, status: "succeeded", result };
}

export function hasEnded({ status }: Pick<Operation, "status">): boolean {
  return status === "succeeded" || status === "failed";
}

// Operations of workspaces. Implemented in store/workspaces/operations.ts.

import type { Operation, OperationEnd, OperationKind, OperationProgress } from "./operation.ts";

declare module "../../ports/store.ts" {
  interface StoreReader {
    readonly operations: OperationReader;
  }
  interface StoreTransaction {
    readonly operations: OperationStore;
  }
}

interface OperationReader {
  find(id: string): Promise<Operation | null>;
  /** Those that have not ended and that nobody works at, the first that were left first. */
  listDue(query: { limit: number }): Promise<readonly string[]>;
  /** The workspace's operations of a kind that have not ended, oldest first. */
  listOpen(query: { workspaceId: string; kind: OperationKind }): Promise<readonly Operation[]>;
}

/** Who works at an operation. */
export type OperationHold = { readonly id: string; readonly fence: number };

export interface OperationStore extends OperationReader {
  /** With a lease from now on, by the store's time. */
  insert(operation: Operation): Promise<void>;
  /** Makes the operation the caller's. Null where it has ended, or somebody works at it. Safe to race. */
  takeUp(id: string): Promise<Operation | null>;
  /** Lets all that have not ended be taken up: whoever worked at one is dead. Returns how many. */
  releaseAll(): Promise<number>;
  /**
   * Goes on working at it for `leaseMs` from now: it is running, and later any may take it up. False where another took it up, or
   * it has ended.
   */
  beat(
    beat: OperationHold & { leaseMs: number; progress: OperationProgress; faults: number },
  ): Promise<boolean>;
  /** Ends it. False where another took it up, or it has ended: then nothing of this transaction may be kept. */
  end(end: OperationHold & { end: OperationEnd; now: number; keptUntil: number }): Promise<boolean>;
}

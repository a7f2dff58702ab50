// Operations of workspaces. Implemented in store/workspaces/operations.ts.

import type { Operation } from "../../../workspaces/operations/operation.ts";

export interface OperationReader {
  find(id: string): Promise<Operation | null>;
}

export interface OperationStore extends OperationReader {
  insert(operation: Operation): Promise<void>;
}

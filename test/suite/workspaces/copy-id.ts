// The copy that an operation has made. Pure.

import type { OperationView } from "../../../src/contract/workspaces/operations.ts";

export function copyIdOf(operation: OperationView): string {
  const id = operation.status === "succeeded" ? operation.result.working_copy_id : undefined;
  if (id === undefined) throw new Error(`The operation names no copy: ${JSON.stringify(operation)}`);
  return id;
}

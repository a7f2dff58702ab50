// Operations of a workspace, awaited to their end.

import type { Client, WorkspaceOperation } from "../../client/client.ts";
import { CommandError } from "../command-error.ts";

const WAIT_SECONDS = 20;

type Succeeded = Extract<WorkspaceOperation, { readonly status: "succeeded" }>;

/** Resolves once the operation has succeeded. Throws CommandError with the service's reason where it has failed. */
export async function settledOperation(
  client: Pick<Client, "operations">,
  started: WorkspaceOperation,
): Promise<Succeeded> {
  const { workspace_id: workspaceId, id: operationId } = started;
  let operation = started;
  for (;;) {
    if (operation.status === "succeeded") return operation;
    if (operation.status === "failed") {
      const { code, error } = operation.error;
      throw new CommandError(`The service could not do it (${code}): ${error}\n  operation ${operationId}`);
    }
    operation = await client.operations.get({ workspaceId, operationId, query: { wait: WAIT_SECONDS } });
  }
}

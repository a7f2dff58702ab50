// The activation of a workflow as a part of a transaction.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { WorkflowRefusal } from "./refusals.ts";
import type { WorkflowRecord } from "./workflow.ts";

export async function activateWithin(
  core: Pick<Core, "clock">,
  tx: StoreTransaction,
  { workflowId, version }: { workflowId: string; version: number },
): Promise<Result<WorkflowRecord, WorkflowRefusal>> {
  const workflow = await tx.workflows.lock(workflowId);
  if (workflow === null) return refused({ reason: "workflow_not_found", workflowId });
  if (version > workflow.version)
    return refused({ reason: "workflow_version_not_found", workflowId, version });
  const now = core.clock.now();
  await tx.workflows.activate({ id: workflow.id, version, now });
  return ok({ ...workflow, activeVersion: version, updatedAt: now });
}

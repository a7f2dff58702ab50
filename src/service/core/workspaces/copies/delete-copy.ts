// DELETE …/copies/{workingCopyID}: nobody writes to the copy from then on, and an operation deletes what it holds.

import * as z from "zod/mini";
import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { type Operation, queuedOperation } from "../operations/operation.ts";
import type { OperationAtWork } from "../operations/operation-at-work.ts";
import { afterMoment } from "../operations/read-operation.ts";
import { type OperationWork, startOperation } from "../operations/run-operation.ts";
import { reachWorkspace, type WorkspaceRequest } from "../reach-workspace.ts";
import type { CopyHeldRefusal, CopyRefusal, WorkspaceRefusal } from "../refusals.ts";
import { holderOf } from "./copy.ts";

/** Rows that one transaction deletes. */
const ROWS_A_STEP = 5_000;

const inputSchema = z.object({ working_copy_id: z.uuid() });

type Refusal = WorkspaceRefusal | CopyRefusal | CopyHeldRefusal;
type Begun = { readonly operation: Operation; readonly isNew: boolean };

/** Who asks again while it is deleted gets the same operation. What was not saved is lost. */
export async function deleteCopy(
  core: Core,
  request: WorkspaceRequest & { readonly copyId: string },
): Promise<Result<Operation, Refusal>> {
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const begun = await core.store.transact((tx) => beginDeletion(core, tx, request));
  if (!begun.ok) return begun;
  const { operation, isNew } = begun.value;
  if (isNew) startOperation(core, operation, copyRemoval);
  return ok(await afterMoment(core, operation.id));
}

async function beginDeletion(
  core: Core,
  tx: StoreTransaction,
  { caller, workspaceId, copyId }: WorkspaceRequest & { readonly copyId: string },
): Promise<Result<Begun, Refusal>> {
  const copy = await tx.copies.lock(copyId);
  if (copy === null || copy.workspaceId !== workspaceId) return refused({ reason: "copy_not_found", copyId });
  if (copy.isCanonical) return refused({ reason: "copy_canonical", workspaceId });
  const now = core.clock.now();
  if (copy.state === "deleting") {
    const open = await tx.operations.listOpen({ workspaceId, kind: "delete_copy" });
    const operation = open.find(({ input }) => input.working_copy_id === copyId);
    // The workspace is being deleted, and its copies with it.
    return operation === undefined
      ? refused({ reason: "copy_not_found", copyId })
      : ok({ operation, isNew: false });
  }
  const runId = holderOf(copy)?.runId ?? (await tx.copies.findUnfinishedRun(copyId));
  if (runId !== null) return refused({ reason: "copy_held", copyId, runId });
  await tx.copies.markDeleting(copyId);
  const operation = queuedOperation({
    id: core.random.uuid(now),
    workspaceId,
    accountId: caller.accountId,
    now,
    kind: "delete_copy",
    input: { working_copy_id: copyId },
  });
  await tx.operations.insert(operation);
  return ok({ operation, isNew: true });
}

export const copyRemoval: OperationWork = { run: removeCopy, giveUp: null };

/** In steps, each of them short. */
async function removeCopy(core: Core, atWork: OperationAtWork): Promise<void> {
  const { working_copy_id: copyId } = inputSchema.parse(atWork.operation.input);
  const step = { copyId, limit: ROWS_A_STEP };
  let deleted = 0;
  for (;;) {
    atWork.signal.throwIfAborted();
    const rows = await core.store.transact((tx) => tx.copyEntries.clear(step));
    if (rows === 0) break;
    deleted += rows;
    atWork.tell({ deleted });
  }
  await atWork.end(async (tx) => {
    await tx.trash.purge(copyId);
    await tx.copies.delete(copyId);
    const { workspaceId } = atWork.operation;
    const moves = [{ what: "copy", id: copyId, state: "deleted" }] as const;
    await tx.workspaceEvents.append({ workspaceId, moves, now: core.clock.now() });
    return { status: "succeeded", result: { copyId } };
  });
}

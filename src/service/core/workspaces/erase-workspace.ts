// DELETE /v1/workspaces/{workspaceID}: nobody writes to the workspace from then on, and an operation deletes all of it. The
// operation is its receipt, and outlives it.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import { endConsumersOf } from "./consumers/end-consumers.ts";
import { type Operation, queuedOperation } from "./operations/operation.ts";
import type { OperationAtWork } from "./operations/operation-at-work.ts";
import { startOperation } from "./operations/run-operation.ts";
import { keepingOf, reachWorkspace, type WorkspaceRequest } from "./reach-workspace.ts";
import type { OwnerNeededRefusal, WorkRefusal, WorkspaceHeldRefusal, WorkspaceRefusal } from "./refusals.ts";
import { isWorkspaceOwner } from "./workspace-caller.ts";
import { workspaceUrl } from "./workspace-url.ts";

/** Rows that one transaction deletes. */
const ROWS_A_STEP = 2_000;

type Refusal = WorkspaceRefusal | WorkRefusal | WorkspaceHeldRefusal | OwnerNeededRefusal;

/** Begins once, however often it is asked for. Refused while a run works in the workspace, or is going to. */
export async function eraseWorkspace(
  core: Core,
  request: WorkspaceRequest,
): Promise<Result<Operation, Refusal>> {
  const { caller, workspaceId } = request;
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  if (!isWorkspaceOwner(caller)) {
    const url = workspaceUrl(core.policy, workspaceId);
    return refused({ reason: "owner_needed", what: "delete a workspace", url });
  }
  const begun = await core.store.transact((tx) => beginErasure(core, tx, request));
  if (!begun.ok) return begun;
  const { operation, isNew } = begun.value;
  if (isNew) startOperation(core, operation, removeWorkspace);
  // Its schedules are cancelled.
  core.scheduleAlarm.ring();
  return ok(operation);
}

async function beginErasure(
  core: Core,
  tx: StoreTransaction,
  { caller, workspaceId }: WorkspaceRequest,
): Promise<Result<{ readonly operation: Operation; readonly isNew: boolean }, Refusal>> {
  const workspace = await tx.workspaces.lock(workspaceId);
  if (workspace === null) return refused({ reason: "workspace_not_found", workspaceId });
  if (workspace.state === "adopting") return refused({ reason: "storage_adopting", workspaceId });
  if (workspace.state === "erasing") {
    const [operation] = await tx.operations.listOpen({ workspaceId, kind: "erase_workspace" });
    return operation === undefined
      ? refused({ reason: "workspace_erasing", workspaceId })
      : ok({ operation, isNew: false });
  }
  const runId = await tx.workspaces.findUnfinishedRun(workspaceId);
  if (runId !== null) return refused({ reason: "workspace_held", workspaceId, runId });
  const now = core.clock.now();
  await tx.erasure.begin(workspaceId);
  await endConsumersOf(core, tx, { workspaceId, agentId: null });
  const operation = queuedOperation({
    ...{ id: core.random.uuid(now), workspaceId, accountId: caller.accountId, now },
    ...{ kind: "erase_workspace", input: {} },
  });
  await tx.operations.insert(operation);
  return ok({ operation, isNew: true });
}

/** The work of the operation: in steps, each of them short; blobs before their rows, so that none is forgotten. */
export async function removeWorkspace(core: Core, atWork: OperationAtWork): Promise<void> {
  const { workspaceId } = atWork.operation;
  const { blobs } = keepingOf(core);
  let deleted = 0;
  for (;;) {
    atWork.signal.throwIfAborted();
    const { rows, blobKeys } = await core.store.transact(async (tx) => {
      const step = await tx.erasure.eraseFiles({ workspaceId, limit: ROWS_A_STEP });
      await tx.blobs.discard({ keys: step.blobKeys, now: core.clock.now() });
      return step;
    });
    if (rows === 0) break;
    if (blobKeys.length > 0) {
      await blobs.delete(blobKeys);
      await core.store.transact((tx) => tx.blobs.forget(blobKeys));
    }
    deleted += rows;
    atWork.tell({ deleted });
  }
  await atWork.end(async (tx) => {
    await tx.workspaces.lock(workspaceId);
    await tx.erasure.eraseRest(workspaceId);
    return { status: "succeeded", result: {} };
  });
}

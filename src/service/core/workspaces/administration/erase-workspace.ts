// DELETE /v1/workspaces/{workspaceID}: nobody writes to the workspace from then on, and an operation deletes all of it. The
// operation is its receipt, and outlives it.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { OwnerNeededRefusal } from "../../accounts/refusals.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { endConsumersOf } from "../consumers/end-consumers.ts";
import { blobFolderOf } from "../objects/keep-objects.ts";
import { type Operation, queuedOperation } from "../operations/operation.ts";
import type { OperationAtWork } from "../operations/operation-at-work.ts";
import { type OperationWork, startOperation } from "../operations/run-operation.ts";
import { keepingOf, reachWorkspace, type WorkspaceRequest } from "../reach-workspace.ts";
import type { WorkRefusal, WorkspaceHeldRefusal, WorkspaceRefusal } from "../refusals.ts";
import { isWorkspaceOwner } from "../workspace-caller.ts";
import { workspaceUrl } from "../workspace-url.ts";

/** Rows that one transaction deletes. */
const ROWS_A_STEP = 2_000;
const BLOBS_A_STEP = 200;
/** The time until the next look where an upload was at work when the erasure began. */
const UPLOADS_MS = 30_000;

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
  if (isNew) startOperation(core, operation, workspaceRemoval);
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
  await endDefaultManager(core, tx, workspaceId);
  const operation = queuedOperation({
    id: core.random.uuid(now),
    workspaceId,
    accountId: caller.accountId,
    now,
    kind: "erase_workspace",
    input: {},
  });
  await tx.operations.insert(operation);
  return ok({ operation, isNew: true });
}

export const workspaceRemoval: OperationWork = { run: removeWorkspace, giveUp: null };

/** The agent that was made with the workspace ends with it. Where it manages another one since, it becomes an agent like any other. */
async function endDefaultManager(core: Core, tx: StoreTransaction, workspaceId: string): Promise<void> {
  const agent = await tx.agents.lockMadeWith(workspaceId);
  if (agent === null) return;
  const isInUse = (await tx.workspaces.listManagedBy(agent.id)).length > 0;
  const retiredAt = isInUse ? agent.retiredAt : (agent.retiredAt ?? core.clock.now());
  await tx.agents.update(agent.id, { workspaceId: null, retiredAt });
}

/** In steps, each of them short. It succeeds once no blob of the workspace is left. */
async function removeWorkspace(core: Core, atWork: OperationAtWork): Promise<void> {
  const { workspaceId } = atWork.operation;
  let deleted = 0;
  for (;;) {
    atWork.signal.throwIfAborted();
    const { rows } = await core.store.transact(async (tx) => {
      const step = await tx.erasure.eraseFiles({ workspaceId, limit: ROWS_A_STEP });
      await tx.blobs.discard({ keys: step.blobKeys, now: core.clock.now() });
      return step;
    });
    if (rows === 0) break;
    deleted += rows;
    atWork.tell({ deleted });
  }
  if ((await deleteBlobs(core, atWork, { deleted })) > 0) return await atWork.postpone(UPLOADS_MS);
  await atWork.end(async (tx) => {
    await tx.workspaces.lock(workspaceId);
    await tx.erasure.eraseRest(workspaceId);
    return { status: "succeeded", result: {} };
  });
}

/** Blobs before their rows, so that none is forgotten. Returns how many are left: those of uploads that may not have ended. */
async function deleteBlobs(
  core: Core,
  atWork: OperationAtWork,
  { deleted }: { readonly deleted: number },
): Promise<number> {
  const { store } = core;
  const { blobs } = keepingOf(core);
  const folder = blobFolderOf(atWork.operation.workspaceId);
  for (;;) {
    atWork.signal.throwIfAborted();
    const left = await store.committed.blobs.countLeft(folder);
    atWork.tell({ deleted, left });
    const keys = await store.committed.blobs.listDiscarded(BLOBS_A_STEP, folder);
    if (keys.length === 0) return left;
    await blobs.delete(keys);
    await store.transact((tx) => tx.blobs.forget(keys));
  }
}

// GET …/storage/adoption, POST …/storage/adoption/cancel and …/rollback.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { OwnerNeededRefusal } from "../../accounts/refusals.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { endExpiredHold } from "../copies/end-expired-hold.ts";
import {
  doneOperation,
  hasEnded,
  OPERATION_KEPT_MS,
  type Operation,
  type OperationEnd,
} from "../operations/operation.ts";
import { reachForWork, reachWorkspace, type WorkspaceRequest } from "../reach-workspace.ts";
import type { CopyHeldRefusal, WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import type { Workspace } from "../workspace.ts";
import { isWorkspaceOwner } from "../workspace-caller.ts";
import { workspaceUrl } from "../workspace-url.ts";
import type { Adoption } from "./adoption.ts";
import type { AdoptionRefusal, AdoptionStateRefusal } from "./refusals.ts";

export const CANCELLED: OperationEnd = {
  status: "failed",
  error: { code: "adoption_state", error: "The adoption was cancelled." },
};

export async function findAdoption(
  core: Core,
  request: WorkspaceRequest,
): Promise<Result<Adoption, WorkspaceRefusal | AdoptionRefusal>> {
  const { workspaceId } = request;
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  const { committed } = core.store;
  const adoption = await committed.adoptions.find(workspaceId);
  return adoption === null ? refused({ reason: "adoption_not_found", workspaceId }) : ok(adoption);
}

/** The workspace is as it was before. Stays possible for who may begin nothing new. Safe to repeat. */
export async function cancelAdoption(
  core: Core,
  request: WorkspaceRequest,
): Promise<Result<Adoption, WorkspaceRefusal | AdoptionRefusal | AdoptionStateRefusal>> {
  const { workspaceId } = request;
  const reached = await reachWorkspace(core, request);
  if (!reached.ok) return reached;
  return await core.store.transact(async (tx) => {
    const workspace = await tx.workspaces.lock(workspaceId);
    const adoption = workspace === null ? null : await tx.adoptions.find(workspaceId);
    if (adoption === null) return refused({ reason: "adoption_not_found", workspaceId });
    const { status } = adoption;
    if (status === "cancelled") return ok(adoption);
    if (status !== "running") return refused({ reason: "adoption_not_cancellable", status });
    const now = core.clock.now();
    const ended: Adoption = { ...adoption, status: "cancelled", endedAt: now };
    await tx.adoptions.put(ended);
    const operation = await tx.operations.find(adoption.operationId);
    if (operation !== null && !hasEnded(operation)) {
      // Who works at it finds that it has ended, and stops.
      const { id, fence } = operation;
      await tx.operations.end({ id, fence, end: CANCELLED, now, keptUntil: now + OPERATION_KEPT_MS });
    }
    if (workspace?.state === "adopting") await tx.workspaces.setState({ id: workspaceId, state: "ready" });
    return ok(ended);
  });
}

type RollbackRefusal =
  | WorkspaceRefusal
  | WorkRefusal
  | OwnerNeededRefusal
  | CopyHeldRefusal
  | AdoptionRefusal
  | AdoptionStateRefusal;

/** Makes the revision before the adoption current again. The adopted revision stays. */
export async function rollBackAdoption(
  core: Core,
  request: WorkspaceRequest,
): Promise<Result<Operation, RollbackRefusal>> {
  const { caller, workspaceId } = request;
  const reached = await reachForWork(core, request);
  if (!reached.ok) return reached;
  if (!isWorkspaceOwner(caller)) {
    const url = workspaceUrl(core.policy, workspaceId);
    return refused({ reason: "owner_needed", what: "undo an adoption", url });
  }
  return await core.store.transact(async (tx): Promise<Result<Operation, RollbackRefusal>> => {
    const workspace = await tx.workspaces.lock(workspaceId);
    const adoption = workspace === null ? null : await tx.adoptions.find(workspaceId);
    if (workspace === null || adoption === null)
      return refused({ reason: "adoption_not_found", workspaceId });
    const { status } = adoption;
    if (status !== "ready") return refused({ reason: "adoption_not_undoable", status });
    const before = await goBack(tx, { workspace, adoption });
    if (!before.ok) return before;
    const now = core.clock.now();
    await tx.adoptions.put({ ...adoption, status: "rolled_back", endedAt: now });
    const { accountId } = caller;
    const id = core.random.uuid(now);
    const kind = "rollback_adoption" as const;
    const operation = doneOperation(
      { id, workspaceId, accountId, kind, input: {}, now },
      { revisionId: adoption.beforeRevisionId },
    );
    await tx.operations.insert(operation);
    const moves = [{ what: "revision", id: adoption.beforeRevisionId, state: "accepted" }] as const;
    await tx.workspaceEvents.append({ workspaceId, moves, now });
    return ok(operation);
  });
}

async function goBack(
  tx: StoreTransaction,
  { workspace, adoption }: { workspace: Workspace; adoption: Adoption },
): Promise<Result<null, AdoptionStateRefusal | CopyHeldRefusal>> {
  const { id: workspaceId, canonicalCopyId: copyId } = workspace;
  const canonical = await tx.copies.lock(copyId);
  const before = await tx.revisions.find(adoption.beforeRevisionId);
  if (canonical === null || before === null) return refused({ reason: "adoption_built_on", workspaceId });
  const holder = await endExpiredHold(tx, canonical);
  if (holder !== null) return refused({ reason: "copy_held", copyId, runId: holder.runId });
  const unsaved = await tx.copyEntries.list({ copyId, from: null, before: null, limit: 1 });
  if (workspace.currentRevisionId !== adoption.revisionId || unsaved.length > 0) {
    return refused({ reason: "adoption_built_on", workspaceId });
  }
  await tx.copies.rebase({ id: copyId, baseRevisionId: before.id, baseTreeOid: before.treeOid });
  await tx.workspaces.setCurrentRevision({ id: workspaceId, revisionId: before.id });
  return ok(null);
}

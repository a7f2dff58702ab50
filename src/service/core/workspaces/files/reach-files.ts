// Whose files a request means: those of the canonical copy, of a working copy or of a revision, and whether its caller may have them.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import { type Copy, holderOf } from "../copies/copy.ts";
import { endExpiredHold } from "../copies/end-expired-hold.ts";
import { reachFiles, reachForFiles, type WorkspaceRequest } from "../reach-workspace.ts";
import type { Workspace } from "../workspace.ts";
import { isWorkspaceOwner, type WorkspaceCaller } from "../workspace-caller.ts";
import { workspaceUrl } from "../workspace-url.ts";
import { type ContentView, viewOfCopy, viewOfRevision } from "./copy-overlay.ts";
import type { ReadFilesRefusal, WriteFilesRefusal } from "./refusals.ts";

export type FilesPlace =
  | { readonly kind: "canonical" }
  | { readonly kind: "copy"; readonly copyId: string }
  | { readonly kind: "revision"; readonly revisionId: string };
export type CopyPlace = Exclude<FilesPlace, { kind: "revision" }>;

export type FilesRequest<Of extends FilesPlace = FilesPlace> = WorkspaceRequest & { readonly place: Of };

/** The files as they are committed. */
export async function reachView(
  core: Core,
  request: FilesRequest,
): Promise<Result<ContentView, ReadFilesRefusal>> {
  const { place, workspaceId } = request;
  if (place.kind !== "revision") {
    const copy = await reachCopy(core, { ...request, place });
    return copy.ok ? ok(viewOfCopy(core, copy.value)) : copy;
  }
  const reached = await reachFiles(core, request);
  if (!reached.ok) return reached;
  const { revisionId } = place;
  const revision = await core.store.committed.revisions.find(revisionId);
  if (revision === null || revision.workspaceId !== workspaceId) {
    return refused({ reason: "revision_not_found", revisionId });
  }
  return ok(viewOfRevision(core, revision));
}

export async function reachCopy(
  core: Core,
  request: FilesRequest<CopyPlace>,
): Promise<Result<Copy, ReadFilesRefusal>> {
  const [reached, copy] = await Promise.all([reachFiles(core, request), findCopy(core, request)]);
  return reached.ok ? copyOf(reached.value, request, copy) : reached;
}

/** The copy, when its caller may write in it: in the canonical one the owner alone. */
export async function reachForWrite(
  core: Core,
  request: FilesRequest<CopyPlace>,
): Promise<Result<Copy, WriteFilesRefusal>> {
  const [reached, found] = await Promise.all([reachForFiles(core, request), findCopy(core, request)]);
  if (!reached.ok) return reached;
  const copy = copyOf(reached.value, request, found);
  if (!copy.ok) return copy;
  if (copy.value.isCanonical && !isWorkspaceOwner(request.caller)) {
    const what = "write to the canonical files of a workspace; others write in a copy and make a changeset";
    return refused({ reason: "owner_needed", what, url: workspaceUrl(core.policy, request.workspaceId) });
  }
  const fault = holdFault(request.caller, copy.value);
  return fault === null ? copy : refused(fault);
}

/** The copy within the transaction that writes in it: it stays as it is until the end. */
export async function claimCopy(
  tx: StoreTransaction,
  { caller, copyId, isAlone }: { caller: WorkspaceCaller; copyId: string; isAlone: boolean },
): Promise<Result<Copy, WriteFilesRefusal>> {
  const copy = await (isAlone ? tx.copies.lock(copyId) : tx.copies.share(copyId));
  if (copy === null || copy.state !== "ready") return refused({ reason: "copy_not_found", copyId });
  const fault = holdFault(caller, copy);
  if (fault !== null) return refused(fault);
  if (!holds(caller, copy)) await endExpiredHold(tx, copy);
  return ok(copy);
}

/** Asked for together with its workspace, which says whether the caller may have it: one message to the database. */
async function findCopy(core: Core, { place, workspaceId }: FilesRequest<CopyPlace>): Promise<Copy | null> {
  const { copies } = core.store.committed;
  return place.kind === "canonical"
    ? await copies.findCanonical(workspaceId)
    : await copies.find(place.copyId);
}

function copyOf(
  workspace: Workspace,
  { place }: FilesRequest<CopyPlace>,
  copy: Copy | null,
): Result<Copy, ReadFilesRefusal> {
  const copyId = place.kind === "canonical" ? workspace.canonicalCopyId : place.copyId;
  if (copy === null || copy.workspaceId !== workspace.id || copy.state !== "ready") {
    return refused({ reason: "copy_not_found", copyId });
  }
  return ok(copy);
}

/** While a run holds a copy, that run alone writes in it. */
function holdFault(caller: WorkspaceCaller, copy: Copy) {
  const hold = holderOf(copy);
  if (hold === null || holds(caller, copy)) return null;
  return { reason: "copy_held", copyId: copy.id, runId: hold.runId } as const;
}

function holds(caller: WorkspaceCaller, { hold }: Copy): boolean {
  return caller.kind === "member_run" && caller.runId === hold?.runId;
}

// The workspace of a request, and the right of its caller to do what it asks for.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Core } from "../core.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { FilesClosedRefusal, WorkRefusal, WorkspaceRefusal } from "./refusals.ts";
import type { WorkspaceReader } from "./store-port.ts";
import type { Workspace } from "./workspace.ts";
import type { WorkspaceCaller } from "./workspace-caller.ts";
import type { WorkspaceKeeping } from "./workspace-keeping.ts";

export type WorkspaceRequest = { readonly caller: WorkspaceCaller; readonly workspaceId: string };

type Reading = { readonly workspaces: Pick<WorkspaceReader, "find"> };

/** The workspace, when there is one and it is the caller's. For reads, and for what stays allowed: removals, cancels, rejects. */
export async function reachWorkspace(
  core: Core,
  { caller, workspaceId }: WorkspaceRequest,
  reading: Reading = core.store.committed,
): Promise<Result<Workspace, WorkspaceRefusal>> {
  const workspace = await reading.workspaces.find(workspaceId);
  if (workspace === null) return refused({ reason: "workspace_not_found", workspaceId });
  const isOfRun = caller.kind !== "member_run" || caller.workspaceId === workspaceId;
  return workspace.accountId === caller.accountId && isOfRun
    ? ok(workspace)
    : refused({ reason: "workspace_of_another", workspaceId });
}

/** The same for new work: its account is admitted, and the workspace is neither erased nor being filled. */
export async function reachForWork(
  core: Core,
  request: WorkspaceRequest,
  reading: Reading = core.store.committed,
): Promise<Result<Workspace, WorkspaceRefusal | WorkRefusal>> {
  const reached = await reachWorkspace(core, request, reading);
  if (!reached.ok) return reached;
  const fault = admissionFault(core, request.caller) ?? stateFault(reached.value);
  return fault === null ? reached : refused(fault);
}

/** The same within a transaction: until it ends the workspace stays as it is. */
export async function shareForWork(
  core: Core,
  tx: StoreTransaction,
  request: WorkspaceRequest,
): Promise<Result<Workspace, WorkspaceRefusal | WorkRefusal>> {
  const find = (id: string) => tx.workspaces.share(id);
  return await reachForWork(core, request, { workspaces: { find } });
}

/** The same for files: their gate is apart from that of new work, and closes reads too. */
export async function reachFiles(
  core: Core,
  request: WorkspaceRequest,
  reading: Reading = core.store.committed,
): Promise<Result<Workspace, WorkspaceRefusal | FilesClosedRefusal>> {
  const reached = await reachWorkspace(core, request, reading);
  if (!reached.ok) return reached;
  const fault = filesFault(core);
  return fault === null ? reached : refused(fault);
}

/** The same for writing files: the workspace is neither erased nor being filled. */
export async function reachForFiles(
  core: Core,
  request: WorkspaceRequest,
  reading: Reading = core.store.committed,
): Promise<Result<Workspace, WorkspaceRefusal | WorkRefusal>> {
  const reached = await reachFiles(core, request, reading);
  if (!reached.ok) return reached;
  const fault = stateFault(reached.value);
  return fault === null ? reached : refused(fault);
}

/** Null where files are served. */
export function filesFault(core: Core): FilesClosedRefusal | null {
  return keepingOf(core).admission.takesFiles ? null : { reason: "workspaces_not_admitted", what: "files" };
}

/** Null where the account's new work is taken. */
export function admissionFault(
  core: Core,
  { accountId }: { readonly accountId: string },
): WorkRefusal | null {
  const { takesWork, accounts } = keepingOf(core).admission;
  const isAdmitted = takesWork && (accounts === null || accounts.includes(accountId));
  return isAdmitted ? null : { reason: "workspaces_not_admitted", what: "workspaces" };
}

function stateFault({ id: workspaceId, state }: Workspace): WorkRefusal | null {
  if (state === "erasing") return { reason: "workspace_erasing", workspaceId };
  return state === "adopting" ? { reason: "storage_adopting", workspaceId } : null;
}

/** Only a service without workspaces has none: it serves no route of theirs. */
export function keepingOf({ workspaces }: Core): WorkspaceKeeping {
  if (workspaces === null) throw new TypeError("This service keeps no workspaces.");
  return workspaces;
}

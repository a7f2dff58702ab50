// The files of a run of a workspace: its copy, held and kept, or the accepted files, whose changes the session carries.
// Why: docs/decisions/088-a-run-works-in-a-copy-by-a-lease.md

import { assertNever } from "../../../../base/assert-never.ts";
import { ok, type Result, refused } from "../../../../base/result.ts";
import type { CheckoutRefusal } from "../../checkouts/checkout.ts";
import type { CopyFolder, CopyFolders } from "../../checkouts/copy-folders.ts";
import type { Core } from "../../core.ts";
import type { Copy, Holder } from "../copies/copy.ts";
import { CopyLease, type HoldRefusal, takeCopy } from "../copies/copy-lease.ts";
import { keepingOf } from "../reach-workspace.ts";
import { beginSave, failSave, saveWorker } from "../workers/save-worker.ts";
import type { Workspace } from "../workspace.ts";
import { CopySaver } from "./copy-saver.ts";
import { layOutCopy } from "./lay-out-copy.ts";
import type { OpenedWorkspace, RunInWorkspace } from "./run-port.ts";

type RunCopyOptions = RunInWorkspace & { readonly folders: CopyFolders };

export type RunFiles = Pick<OpenedWorkspace, "checkout" | "callEnded">;

/** The checkout's `close` saves what is left, gives the copy back and removes the folder. */
export async function openRunCopy(
  core: Core,
  { copyId, ...options }: RunCopyOptions & { readonly copyId: string },
): Promise<Result<RunFiles, CheckoutRefusal>> {
  const { taken, workspace, signal } = options;
  const holder: Holder = { runId: taken.run.id, fence: taken.run.fence };
  const { workspaceId, workerId } = workspace;
  const held = await takeCopy(core, { workspaceId, copyId, holder }, signal);
  if (!held.ok) {
    const detail = describeHold(held.refusal);
    if (workerId !== null) await failSave(core, workerId, detail);
    return refused({ reason: "checkout_failed", detail });
  }
  const copy = held.value;
  const lease = new CopyLease(core, { copyId, holder });
  const leave = async (why: string) => {
    if (workerId !== null) await failSave(core, workerId, why);
    await lease.end();
  };
  let opened: Result<CopyFolder, CheckoutRefusal>;
  try {
    opened = await openFolder(core, { ...options, copy });
  } catch (cause) {
    await leave("The copy's files could not be laid out.");
    throw cause;
  }
  if (!opened.ok) {
    await leave(opened.refusal.detail);
    return opened;
  }
  const { checkout } = opened.value;
  const saver = new CopySaver(core, { copy, holder, folder: opened.value });
  let closing: Promise<void> | null = null;
  const close = async () => {
    try {
      if (workerId !== null) await beginSave(core, workerId);
      const kept = await saver.end();
      const worker = { id: workerId ?? "", copyId, agentId: taken.run.agentId, runId: taken.run.id };
      if (workerId !== null && kept.ok) await saveWorker(core, { worker, holder });
      if (workerId !== null && !kept.ok) await failSave(core, workerId, kept.why);
    } finally {
      await Promise.all([checkout.close(), lease.end()]);
    }
  };
  const closeOnce = async () => {
    closing ??= close();
    await closing;
  };
  return ok({ checkout: { ...checkout, close: closeOnce }, callEnded: () => saver.callEnded() });
}

/** The accepted files, for a run that works in no copy. Nothing of what is changed is written back. */
export async function openAcceptedFiles(
  core: Core,
  {
    workspace: { currentRevisionId },
    ...options
  }: Omit<RunCopyOptions, "workspace"> & { readonly workspace: Workspace },
): Promise<Result<RunFiles, CheckoutRefusal>> {
  const revision = await core.store.committed.revisions.find(currentRevisionId);
  if (revision === null) throw new TypeError(`Revision ${currentRevisionId} is current, and not there.`);
  const { workspaceId, treeOid } = revision;
  // As a copy in which nothing was written.
  const copy = {
    id: currentRevisionId,
    workspaceId,
    baseRevisionId: currentRevisionId,
    baseTreeOid: treeOid,
  };
  const opened = await openFolder(core, { ...options, copy });
  return opened.ok ? ok({ checkout: opened.value.checkout, callEnded: () => {} }) : opened;
}

async function openFolder(
  core: Core,
  {
    taken,
    folders,
    copy,
    signal,
  }: Pick<RunCopyOptions, "taken" | "folders" | "signal"> & {
    readonly copy: Pick<Copy, "id" | "workspaceId" | "baseRevisionId" | "baseTreeOid">;
  },
): Promise<Result<CopyFolder, CheckoutRefusal>> {
  const { maxFileBytes } = keepingOf(core).limits;
  const laidOut = await layOutCopy(core, copy);
  return await folders.open({ ...laidOut, runId: taken.run.id, copyId: copy.id, maxFileBytes }, signal);
}

function describeHold(refusal: HoldRefusal): string {
  switch (refusal.reason) {
    case "copy_held":
      return `Run ${refusal.runId} is at work in copy ${refusal.copyId}. Wait until it has ended, or cancel it.`;
    case "copy_gone":
      return `Copy ${refusal.copyId} was deleted before the run began.`;
    default:
      return assertNever(refusal);
  }
}

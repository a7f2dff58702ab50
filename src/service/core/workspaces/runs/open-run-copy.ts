// The files of a run of a workspace: its copy, held and kept, or the accepted files, whose changes the session carries.
// Why: docs/decisions/088-a-run-works-in-a-copy-by-a-lease.md, docs/decisions/163-a-workspaces-run-outlives-its-worker.md

import { assertNever } from "../../../../base/assert-never.ts";
import { ok, type Result, refused } from "../../../../base/result.ts";
import type { CheckoutRefusal } from "../../checkouts/checkout.ts";
import type { CopyFolder, CopyFolders } from "../../checkouts/copy-folders.ts";
import type { Core } from "../../core.ts";
import { isOfStore } from "../../ports/store-fault.ts";
import type { RunWorkspace } from "../../runs/run-record.ts";
import type { Holder } from "../copies/copy.ts";
import { CopyLease, type HoldRefusal, takeCopy } from "../copies/copy-lease.ts";
import { keepObjects, rowObject } from "../objects/keep-objects.ts";
import { keepingOf } from "../reach-workspace.ts";
import { beginSave, failSave, saveWorker } from "../workers/save-worker.ts";
import type { Workspace } from "../workspace.ts";
import { CopySaver } from "./copy-saver.ts";
import { type CopyState, type Layout, layOut, stateOfCopy } from "./lay-out-copy.ts";
import type { OpenedWorkspace, RunInWorkspace } from "./run-port.ts";

type RunCopyOptions = RunInWorkspace & { readonly folders: CopyFolders };

export type RunFiles = Pick<OpenedWorkspace, "checkout" | "callEnded" | "leaves">;

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
    const begun = await findBegun(core, options);
    const { commitOid, treeOid, made } = await stateOfCopy(core, copy);
    if (begun === null) await keepBegun(core, { ...options, commitOid, made });
    const layout = begun === null ? { headSha: commitOid, made } : { headSha: begun, treeOid, made };
    opened = await openFolder(core, { ...options, folderOf: copyId, layout });
  } catch (cause) {
    // It is opened again, by this worker or the next one: the copy stays the run's.
    if (isOfStore(cause)) await lease.leave();
    else await leave("The copy's files could not be laid out.");
    throw cause;
  }
  if (!opened.ok) {
    await leave(opened.refusal.detail);
    return opened;
  }
  const { checkout } = opened.value;
  const saver = new CopySaver(core, { copy, holder, folder: opened.value });
  let leftAs: "ended" | "given_back" | "parked" = "ended";
  let closing: Promise<void> | null = null;
  const close = async () => {
    const savedWorker = leftAs === "ended" ? workerId : null;
    try {
      if (savedWorker !== null) await beginSave(core, savedWorker);
      const kept = await saver.end();
      const worker = { id: savedWorker ?? "", copyId, agentId: taken.run.agentId, runId: taken.run.id };
      if (savedWorker !== null && kept.ok) await saveWorker(core, { worker, holder });
      if (savedWorker !== null && !kept.ok) await failSave(core, savedWorker, kept.why);
    } finally {
      await Promise.all([checkout.close(), leftAs === "given_back" ? lease.leave() : lease.end()]);
    }
  };
  const closeOnce = async () => {
    closing ??= close();
    await closing;
  };
  return ok({
    checkout: { ...checkout, close: closeOnce },
    callEnded: () => saver.callEnded(),
    leaves: (as) => {
      leftAs = as;
    },
  });
}

/** The accepted files, for a run that works in no copy. Nothing of what is changed is written back. */
export async function openAcceptedFiles(
  core: Core,
  {
    workspace: { currentRevisionId },
    place,
    ...options
  }: Omit<RunCopyOptions, "workspace"> & { readonly workspace: Workspace; readonly place: RunWorkspace },
): Promise<Result<RunFiles, CheckoutRefusal>> {
  const run = { ...options, workspace: place };
  const begun = await findBegun(core, run);
  let headSha = begun;
  if (headSha === null) {
    const revision = await core.store.committed.revisions.find(currentRevisionId);
    if (revision === null) throw new TypeError(`Revision ${currentRevisionId} is current, and not there.`);
    headSha = revision.commitOid;
    await keepBegun(core, { ...run, commitOid: headSha, made: [] });
  }
  const opened = await openFolder(core, { ...run, folderOf: currentRevisionId, layout: { headSha } });
  return opened.ok ? ok({ checkout: opened.value.checkout, callEnded: () => {}, leaves: () => {} }) : opened;
}

/** The commit beside which the run's journal is. Null: it begins. */
async function findBegun(core: Core, { taken }: Pick<RunInWorkspace, "taken">): Promise<string | null> {
  const [place] = await core.store.committed.workspaceRuns.find([taken.run.id]);
  return place?.begunCommitOid ?? null;
}

/** Before the run changes anything: from then on nothing of it is swept. */
async function keepBegun(
  core: Core,
  {
    taken,
    workspace: { workspaceId },
    hasJournal,
    commitOid,
    made,
  }: Pick<RunInWorkspace, "taken" | "workspace" | "hasJournal"> & Pick<CopyState, "commitOid" | "made">,
): Promise<void> {
  if (!hasJournal) return;
  const objects = made.map(({ oid, ...object }) => rowObject(object, oid));
  await core.store.transact(async (tx) => {
    await keepObjects(tx, { workspaceId, objects, now: core.clock.now() });
    await tx.workspaceRuns.begin({ runId: taken.run.id, commitOid });
  });
}

async function openFolder(
  core: Core,
  {
    taken,
    workspace: { workspaceId },
    earlierFolder,
    folders,
    folderOf,
    layout,
    signal,
  }: RunCopyOptions & {
    /** The id of the copy or the revision, for messages. */
    readonly folderOf: string;
    readonly layout: Omit<Layout, "workspaceId">;
  },
): Promise<Result<CopyFolder, CheckoutRefusal>> {
  const { maxFileBytes } = keepingOf(core).limits;
  const laidOut = layOut(core, { workspaceId, ...layout });
  const source = { ...laidOut, runId: taken.run.id, copyId: folderOf, earlierFolder, maxFileBytes };
  return await folders.open(source, signal);
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

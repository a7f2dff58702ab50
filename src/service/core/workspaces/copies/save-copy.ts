// A copy's files as a revision: the trees are made outside of any transaction, then kept in one, where the copy is still as it was
// read. What is written meanwhile stays unsaved.
// Why: docs/decisions/084-a-checkpoint-locks-at-its-end.md

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { Actor } from "../actor.ts";
import { withMade } from "../merges/made-trees.ts";
import { MissingObjectError } from "../objects/git-object.ts";
import { keepObjects, rowObject } from "../objects/keep-objects.ts";
import { type ObjectSource, objectSource } from "../objects/object-source.ts";
import type { PathCollision } from "../paths/portable-path.ts";
import type { PathRefusal } from "../paths/workspace-path.ts";
import { keepingOf } from "../reach-workspace.ts";
import type { CopyHeldRefusal, CopyRefusal, WorkRefusal, WorkspaceRefusal } from "../refusals.ts";
import { newRevision } from "../revisions/new-revision.ts";
import { applyChanges, type MadeTree } from "../trees/apply-changes.ts";
import { diffTrees, type TreeChange } from "../trees/diff-trees.ts";
import { findUnportable } from "../trees/find-unportable.ts";
import type { FileState } from "../trees/join-entries.ts";
import type { Copy } from "./copy.ts";
import type { CopyEntry } from "./copy-entry.ts";
import { endExpiredHold } from "./end-expired-hold.ts";

/** Contents of a copy, as a tree. Nothing of it is kept. */
type PreparedSave = {
  readonly copy: Copy;
  /** Entries that were written since the base, all of them, at one time. */
  readonly entries: readonly CopyEntry[];
  readonly treeOid: string;
  readonly made: readonly MadeTree[];
  /** Than its base has. */
  readonly moreFiles: number;
  readonly moreBytes: number;
  /** A path that is new and that no revision may have. */
  readonly fault: PathRefusal | PathCollision | null;
};

type SavedCopy = { readonly revisionId: string; readonly isUnchanged: boolean };

/** The copy's base was moved since it was read: prepare again. */
type CopyMovedRefusal = { readonly reason: "copy_moved"; readonly copyId: string };

/** Reads all that was written to the copy, and makes the trees that it needs. */
export async function prepareSave(core: Core, copy: Copy): Promise<PreparedSave> {
  const { id: copyId, baseTreeOid, workspaceId } = copy;
  const entries = await core.store.committed.copyEntries.listAll(copyId);
  const source = objectSource(core, workspaceId);
  const changes = new Map<string, FileState | null>(entries.map(({ path, file }) => [path, file]));
  const applied = await applyChanges(source, baseTreeOid, changes);
  if (!applied.ok) {
    const { file, below } = applied.refusal;
    throw new TypeError(`Copy ${copyId} has a file ${file} and a file ${below}.`);
  }
  const { root: treeOid, made } = applied.value;
  const trees = made.map((tree) => ({ ...tree, kind: "tree" as const }));
  const whole = withMade(source, trees);
  const differing = await diffTrees(whole, baseTreeOid, treeOid);
  const compared = { before: baseTreeOid, after: treeOid, changes: differing };
  const fault = keepingOf(core).keepsPathsPortable ? await findUnportable(whole, compared) : null;
  const more = await moreThan(source, { changes: differing, entries });
  return { copy, entries, treeOid, made, fault, ...more };
}

type SaveRequest = {
  readonly prepared: PreparedSave;
  readonly message: string;
  readonly author: Actor;
  /** The run whose copy it is. Null: only where no run holds the copy. */
  readonly holderRunId: string | null;
};

export type SaveRefusal =
  | CopyMovedRefusal
  | CopyRefusal
  | CopyHeldRefusal
  | WorkspaceRefusal
  | WorkRefusal
  | PathRefusal
  | PathCollision;

/**
 * Keeps what was prepared as a revision, which is the copy's base from then on. The canonical copy's is accepted by that. Where
 * nothing has changed, the base is the answer.
 */
export async function keepSave(
  core: Core,
  tx: StoreTransaction,
  { prepared, message, author, holderRunId }: SaveRequest,
): Promise<Result<SavedCopy, SaveRefusal>> {
  const { copy, entries, treeOid, made } = prepared;
  const { workspaceId, id: copyId, isCanonical, baseRevisionId } = copy;
  const workspace = await (isCanonical ? tx.workspaces.lock(workspaceId) : tx.workspaces.share(workspaceId));
  if (workspace === null) return refused({ reason: "workspace_not_found", workspaceId });
  if (workspace.state === "erasing") return refused({ reason: "workspace_erasing", workspaceId });
  const locked = await tx.copies.lock(copyId);
  if (locked === null || locked.state === "deleting") return refused({ reason: "copy_not_found", copyId });
  const now = core.clock.now();
  if (locked.hold?.runId !== holderRunId) {
    const holder = await endExpiredHold(tx, locked);
    if (holder !== null) return refused({ reason: "copy_held", copyId, runId: holder.runId });
  }
  const base = locked.baseRevisionId === baseRevisionId ? await tx.revisions.share(baseRevisionId) : null;
  const isBehind = isCanonical && workspace.currentRevisionId !== baseRevisionId;
  if (base === null || isBehind) return refused({ reason: "copy_moved", copyId });
  if (prepared.fault !== null) return refused(prepared.fault);
  await tx.copyEntries.removeSame({ copyId, entries });
  if (treeOid === copy.baseTreeOid) return ok({ revisionId: baseRevisionId, isUnchanged: true });

  const { revision, commit } = newRevision(core, {
    workspaceId,
    treeOid,
    parents: [base],
    message,
    author,
    now,
    files: base.files + prepared.moreFiles,
    bytes: base.bytes + prepared.moreBytes,
    isAccepted: isCanonical,
  });
  const trees = made.map(({ oid, data }) => rowObject({ kind: "tree", data }, oid));
  await keepFiles(tx, { workspaceId, entries, now });
  await keepObjects(tx, { workspaceId, objects: [...trees, commit], now });
  await tx.revisions.insert(revision);
  await tx.copies.rebase({ id: copyId, baseRevisionId: revision.id, baseTreeOid: treeOid });
  if (isCanonical) await tx.workspaces.setCurrentRevision({ id: workspaceId, revisionId: revision.id });
  const state = isCanonical ? "accepted" : "saved";
  const moves = [{ what: "revision", id: revision.id, state }] as const;
  await tx.workspaceEvents.append({ workspaceId, moves, now });
  return ok({ revisionId: revision.id, isUnchanged: false });
}

/** Keeps the files that the trees refer to. */
async function keepFiles(
  tx: StoreTransaction,
  { workspaceId, entries, now }: { workspaceId: string; entries: readonly CopyEntry[]; now: number },
): Promise<void> {
  const oids = entries.flatMap(({ file }) => (file === null || file.mode === "160000" ? [] : [file.oid]));
  const [absent] = await tx.objects.touch({ workspaceId, oids, now });
  if (absent !== undefined) throw new MissingObjectError(absent);
}

/** The files and bytes that there are beyond the base: only what differs is counted. */
async function moreThan(
  source: ObjectSource,
  saved: Pick<PreparedSave, "entries"> & { readonly changes: readonly TreeChange[] },
): Promise<Pick<PreparedSave, "moreFiles" | "moreBytes">> {
  const { changes } = saved;
  const sizes = new Map<string, number>(
    saved.entries.flatMap(({ file }) => (file === null ? [] : [[file.oid, file.size]])),
  );
  const before = changes.flatMap((change) => (change.before === null ? [] : [change.before.oid]));
  for (const [oid, size] of await source.sizes(before)) sizes.set(oid, size);
  const sizeOf = (file: FileState | null) => (file === null ? 0 : (sizes.get(file.oid) ?? 0));
  let [moreFiles, moreBytes] = [0, 0];
  for (const { before, after } of changes) {
    moreFiles += (after === null ? 0 : 1) - (before === null ? 0 : 1);
    moreBytes += sizeOf(after) - sizeOf(before);
  }
  return { moreFiles, moreBytes };
}

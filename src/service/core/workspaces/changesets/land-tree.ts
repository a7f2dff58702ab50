// Makes a merged tree the current revision: what it needs is placed outside of any transaction, then all of it becomes true in one.

import { ok, type Result, refused } from "../../../../base/result.ts";
import type { Core } from "../../core.ts";
import type { StoreTransaction } from "../../ports/store.ts";
import type { Actor } from "../actor.ts";
import type { CopyEntry } from "../copies/copy-entry.ts";
import { endExpiredHold } from "../copies/end-expired-hold.ts";
import { countMore, withMade } from "../merges/made-trees.ts";
import type { MadeObject } from "../merges/merge-revisions.ts";
import { type Content, contentOf, keepContents, keepObjects, rowObject } from "../objects/keep-objects.ts";
import { objectSource } from "../objects/object-source.ts";
import { parseTree } from "../objects/tree-object.ts";
import type { PathCollision } from "../paths/portable-path.ts";
import { foldersAbove } from "../paths/workspace-path.ts";
import { keepingOf } from "../reach-workspace.ts";
import type { CopyHeldRefusal } from "../refusals.ts";
import { newRevision } from "../revisions/new-revision.ts";
import type { Revision } from "../revisions/revision.ts";
import { diffTrees, type TreeChange } from "../trees/diff-trees.ts";
import { findCollision } from "../trees/find-unportable.ts";
import type { Workspace } from "../workspace.ts";
import type { CurrentRevisionRefusal } from "./refusals.ts";

/** Paths that a refusal names. */
const MAX_NAMED_PATHS = 100;
/** Entries of the canonical copy that are looked through. */
const MAX_ENTRIES = 10_000;

export type PreparedTree = {
  readonly current: Revision;
  /** After the current one, in the order of the commit's parents. */
  readonly parents: readonly Revision[];
  readonly treeOid: string;
  readonly made: readonly MadeObject[];
  readonly contents: readonly Content[];
  /** Against the current revision. */
  readonly changes: readonly TreeChange[];
  readonly files: number;
  readonly bytes: number;
  /** Gives up what was not kept. To be called at the end, whatever happened. */
  release(): Promise<void>;
};

export async function prepareTree(
  core: Core,
  tree: Pick<PreparedTree, "current" | "parents" | "treeOid" | "made"> & { signal: AbortSignal },
): Promise<PreparedTree> {
  const { current, treeOid, signal } = tree;
  const made = reachable(tree.made, treeOid);
  const { workspaceId } = current;
  const source = objectSource(core, workspaceId);
  const changes = await diffTrees(withMade(source, made), current.treeOid, treeOid);
  const more = await countMore(source, made, changes);
  const contents: Content[] = [];
  const release = async () => {
    for (const content of contents) await content.release();
  };
  try {
    for (const { kind, data } of made) {
      if (kind === "blob") contents.push(await contentOf(core, { workspaceId, data, signal }));
    }
  } catch (cause) {
    await release();
    throw cause;
  }
  const counts = { files: current.files + more.files, bytes: current.bytes + more.bytes };
  return { ...tree, made, changes, contents, ...counts, release };
}

/** Two new names of the tree that are one on some systems, where the service keeps names portable: a merge may bring them together. */
export async function collisionIn(core: Core, prepared: PreparedTree): Promise<PathCollision | null> {
  if (!keepingOf(core).keepsPathsPortable) return null;
  const { current, treeOid, made, changes } = prepared;
  const source = withMade(objectSource(core, current.workspaceId), made);
  return await findCollision(source, { before: current.treeOid, after: treeOid, changes });
}

/** Objects that the tree leads to: the text of conflicts, for one, is not kept. */
function reachable(made: readonly MadeObject[], root: string): readonly MadeObject[] {
  const byOid = new Map(made.map((object) => [object.oid, object]));
  const reached = new Map<string, MadeObject>();
  const waiting = [root];
  for (let oid = waiting.pop(); oid !== undefined; oid = waiting.pop()) {
    const object = byOid.get(oid);
    if (object === undefined || reached.has(oid)) continue;
    reached.set(oid, object);
    if (object.kind === "tree") waiting.push(...parseTree(object.data).map((entry) => entry.oid));
  }
  return [...reached.values()];
}

type Landing = {
  /** Locked. */
  readonly workspace: Workspace;
  readonly prepared: PreparedTree;
  readonly message: string;
  readonly author: Actor;
};

/** The caller has locked the workspace, and its current revision is the prepared one's. */
export async function landTree(
  core: Core,
  tx: StoreTransaction,
  { workspace, prepared, message, author }: Landing,
): Promise<Result<Revision, CurrentRevisionRefusal | CopyHeldRefusal>> {
  const { id: workspaceId, canonicalCopyId: copyId } = workspace;
  const { current, parents, treeOid, made, contents, changes, files, bytes } = prepared;
  const now = core.clock.now();
  const canonical = await tx.copies.lock(copyId);
  if (canonical === null) throw new TypeError(`Workspace ${workspaceId} has no canonical copy.`);
  const holder = await endExpiredHold(tx, canonical);
  if (holder !== null) return refused({ reason: "copy_held", copyId, runId: holder.runId });
  const entries = await tx.copyEntries.list({ copyId, from: null, before: null, limit: MAX_ENTRIES });
  const paths = entries.length < MAX_ENTRIES ? clashing(entries, changes) : entries.map(({ path }) => path);
  if (paths.length > 0) {
    const named = paths.slice(0, MAX_NAMED_PATHS);
    return refused({ reason: "canonical_unsaved", current: current.id, paths: named });
  }
  const { revision, commit } = newRevision(core, {
    workspaceId,
    treeOid,
    parents: [current, ...parents],
    message,
    author,
    files,
    bytes,
    isAccepted: true,
    now,
  });
  const trees = made
    .filter(({ kind }) => kind === "tree")
    .map(({ oid, data }) => rowObject({ kind: "tree", data }, oid));
  await keepContents(tx, { workspaceId, contents, now });
  await keepObjects(tx, { workspaceId, objects: [...trees, commit], now });
  await tx.revisions.insert(revision);
  await tx.copies.rebase({ id: copyId, baseRevisionId: revision.id, baseTreeOid: treeOid });
  await tx.workspaces.setCurrentRevision({ id: workspaceId, revisionId: revision.id });
  return ok(revision);
}

/** Entries of the canonical copy that clash with the tree's changes: at the path itself, above it or below it. */
function clashing(entries: readonly CopyEntry[], changes: readonly TreeChange[]): readonly string[] {
  if (entries.length === 0) return [];
  const changed = new Set(changes.map(({ path }) => path));
  const above = new Set(changes.flatMap(({ path }) => foldersAbove(path)));
  return entries
    .map(({ path }) => path)
    .filter(
      (path) =>
        changed.has(path) || above.has(path) || foldersAbove(path).some((folder) => changed.has(folder)),
    );
}

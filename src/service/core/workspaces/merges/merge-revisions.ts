// Merges the files of two revisions: in this process where each path was changed on one side alone, otherwise by git.
// Why: docs/decisions/076-merges-by-git.md

import { ok, type Result } from "../../../../base/result.ts";
import type { MergeConflict, MovedFile, ScratchRefusal } from "../../checkouts/git-scratch.ts";
import type { Core } from "../../core.ts";
import type { ObjectKind } from "../objects/object-kind.ts";
import { objectSource } from "../objects/object-source.ts";
import { findEntry, type TreeSource } from "../objects/tree-source.ts";
import { keepingOf } from "../reach-workspace.ts";
import { applyChanges } from "../trees/apply-changes.ts";
import { diffTrees, type TreeChange } from "../trees/diff-trees.ts";
import { type FileState, isSameFile } from "../trees/join-entries.ts";
import { differingOids, givenObjects } from "./differing-objects.ts";

/** Oids of trees. */
type MergeSides = { readonly base: string; readonly ours: string; readonly theirs: string };

export type MadeObject = { readonly kind: ObjectKind; readonly oid: string; readonly data: Uint8Array };

export type TreesMerged = {
  /** Where there are conflicts it is no result: it holds one of the sides there, or both with markers. */
  readonly treeOid: string;
  /** Objects that the tree needs and that are not stored. */
  readonly made: readonly MadeObject[];
  readonly conflicts: readonly MergeConflict[];
  readonly moved: readonly MovedFile[];
};

/** The same sides have the same merge: what git made is kept for a while. */
export async function mergeTreesOf(
  core: Core,
  { workspaceId, sides, signal }: { workspaceId: string; sides: MergeSides; signal: AbortSignal },
): Promise<Result<TreesMerged, ScratchRefusal>> {
  const { cache, scratch } = keepingOf(core);
  const { base, ours, theirs } = sides;
  if (base === ours || ours === theirs) return ok(unmade(theirs));
  if (base === theirs) return ok(unmade(ours));
  const key = `merge ${workspaceId} ${base} ${ours} ${theirs}`;
  const cached = cache.get(key);
  if (isMerged(cached)) return ok(cached);
  const source = objectSource(core, workspaceId);
  const byPaths = await mergeByPaths(source, sides);
  if (byPaths !== null) return ok(byPaths);
  const objects = await givenObjects(core, workspaceId, await differingOids(source, [base, ours, theirs]));
  const byGit = await scratch.merge({ ...sides, objects }, signal);
  if (!byGit.ok) return byGit;
  const { tree: treeOid, ...rest } = byGit.value;
  const merged = { treeOid, ...rest };
  const bytes = merged.made.reduce((sum, { data }) => sum + data.byteLength, 0);
  cache.set(key, merged, bytes);
  return ok(merged);
}

function unmade(treeOid: string): TreesMerged {
  return { treeOid, made: [], conflicts: [], moved: [] };
}

function isMerged(value: unknown): value is TreesMerged {
  return typeof value === "object" && value !== null && "treeOid" in value && "moved" in value;
}

/** Null where git has to say: both sides changed a path, or a rename of one side may concern what the other did. */
async function mergeByPaths(
  source: TreeSource,
  { base, ours, theirs }: MergeSides,
): Promise<TreesMerged | null> {
  const own = await diffTrees(source, base, ours);
  const others = await diffTrees(source, base, theirs);
  const ownByPath = new Map(own.map((change) => [change.path, change]));
  const changes = new Map<string, FileState | null>();
  const mayRename = [own, others].some((side) => side.some(isAdded));
  for (const { path, after } of others) {
    const mine = ownByPath.get(path);
    if (mine === undefined) changes.set(path, after);
    else if (!isSameFile(mine.after, after)) return null;
    // Both may have renamed it.
    else if (after === null && mayRename) return null;
  }
  if (await addsToGone(source, { base, into: theirs, added: own })) return null;
  if (await addsToGone(source, { base, into: ours, added: others })) return null;
  const applied = await applyChanges(source, ours, changes);
  if (!applied.ok) return null;
  const made = applied.value.made.map(({ oid, data }) => ({ kind: "tree" as const, oid, data }));
  return { treeOid: applied.value.root, made, conflicts: [], moved: [] };
}

function isAdded({ before, after }: TreeChange): boolean {
  return before === null && after !== null;
}

/** Whether one side put files into a folder that the other has no more: it may have renamed it. */
async function addsToGone(
  source: TreeSource,
  { base, into, added }: { base: string; into: string; added: readonly TreeChange[] },
): Promise<boolean> {
  const folders = new Set<string>();
  for (const change of added) {
    if (!isAdded(change)) continue;
    const { path } = change;
    for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1)) {
      folders.add(path.slice(0, slash));
    }
  }
  for (const folder of folders) {
    const [before, now] = [await findEntry(source, base, folder), await findEntry(source, into, folder)];
    if (before?.mode === "40000" && now?.mode !== "40000") return true;
  }
  return false;
}

// Three trees merged by whole files: a change of one side alone is taken, different changes of both are contested. The content
// of files is not looked at, and neither are renames. Pure over its source.

import { compareBytes } from "../../../../base/byte-order.ts";
import type { TreeEntry } from "../objects/tree-object.ts";
import { readTrees, type TreeSource } from "../objects/tree-source.ts";
import { type FileState, isSameFile, joinEntries } from "./join-entries.ts";
import { walkFiles } from "./walk-files.ts";

type TreeMerge = {
  /** Changes to apply on `ours`. */
  readonly changes: ReadonlyMap<string, FileState | null>;
  /** The paths that somebody has to decide, in byte order. */
  readonly contested: readonly string[];
};

type Sides<State> = { readonly base: State; readonly ours: State; readonly theirs: State };
type FolderSides = Sides<string | null> & { readonly prefix: string };

/** Reads only the folders that `theirs` changed and that `ours` has not changed in the same way. */
export async function mergeTrees(source: TreeSource, roots: Sides<string>): Promise<TreeMerge> {
  const changes = new Map<string, FileState | null>();
  const contested = new Set<string>();
  /** Where one side has a file and the other a folder. */
  const twins: string[] = [];
  let level: FolderSides[] = isSettled(roots) ? [] : [{ ...roots, prefix: "" }];
  while (level.length > 0) {
    const oids = level
      .flatMap(({ base, ours, theirs }) => [base, ours, theirs])
      .filter((oid) => oid !== null);
    const treeOf = await readTrees(source, oids);
    const next: FolderSides[] = [];
    for (const { prefix, ...sides } of level) {
      const [base, ours, theirs] = [sides.base, sides.ours, sides.theirs].map((oid) =>
        oid === null ? [] : treeOf(oid),
      );
      twins.push(...twinsOf(ours, theirs).map((name) => prefix + name));
      for (const entry of joinEntries([base ?? [], ours ?? [], theirs ?? []])) {
        const path = prefix + entry.name;
        if (entry.kind === "folder") {
          const [before = null, own = null, other = null] = entry.oids;
          const folder = { base: before, ours: own, theirs: other };
          if (!isSettled(folder)) next.push({ ...folder, prefix: `${path}/` });
          continue;
        }
        const [before = null, own = null, other = null] = entry.states;
        if (isSameFile(other, before) || isSameFile(other, own)) continue;
        if (isSameFile(own, before)) changes.set(path, other);
        else contested.add(path);
      }
    }
    level = next;
  }
  await contestTwins(source, { ours: roots.ours, twins, changes, contested });
  return { changes, contested: [...contested].sort(compareBytes) };
}

function isSettled({ base, ours, theirs }: Sides<string | null>): boolean {
  return theirs === base || theirs === ours;
}

/** Names that are a file's on one side and a folder's on the other. */
function twinsOf(ours: readonly TreeEntry[] = [], theirs: readonly TreeEntry[] = []): readonly string[] {
  const kinds = new Map(ours.map(({ name, mode }) => [name, mode === "40000"]));
  return theirs
    .filter(({ name, mode }) => {
      const isFolder = kinds.get(name);
      return isFolder !== undefined && isFolder !== (mode === "40000");
    })
    .map(({ name }) => name);
}

/** A file and a folder can not have one name: where the changes would leave both, those that do it are contested. */
async function contestTwins(
  source: TreeSource,
  merge: {
    ours: string;
    twins: readonly string[];
    changes: Map<string, FileState | null>;
    contested: Set<string>;
  },
): Promise<void> {
  const { ours, changes, contested } = merge;
  const added = addedBelow(new Set(merge.twins), changes);
  for (const path of merge.twins) {
    const file = changes.get(path);
    const below = added.get(path) ?? [];
    if (file === null) continue;
    // Without a change of its own, the file is in ours, which keeps it.
    const refusedPaths = file === undefined ? below : [path];
    if (file !== undefined && below.length === 0 && !(await keepsFiles(source, ours, path, changes)))
      continue;
    for (const at of refusedPaths) {
      changes.delete(at);
      contested.add(at);
    }
  }
}

/** The files that the changes add or keep below each of the folders. */
function addedBelow(
  folders: ReadonlySet<string>,
  changes: ReadonlyMap<string, FileState | null>,
): ReadonlyMap<string, readonly string[]> {
  const below = new Map<string, string[]>();
  if (folders.size === 0) return below;
  for (const [path, state] of changes) {
    if (state === null) continue;
    for (let slash = path.indexOf("/"); slash > 0; slash = path.indexOf("/", slash + 1)) {
      const folder = path.slice(0, slash);
      if (!folders.has(folder)) continue;
      const paths = below.get(folder);
      if (paths === undefined) below.set(folder, [path]);
      else paths.push(path);
    }
  }
  return below;
}

async function keepsFiles(
  source: TreeSource,
  root: string,
  under: string,
  changes: ReadonlyMap<string, FileState | null>,
): Promise<boolean> {
  for await (const files of walkFiles(source, root, { under })) {
    if (files.some(({ path }) => changes.get(path) !== null)) return true;
  }
  return false;
}

// A tree with some of its files changed: only the folders on the changed paths are read and written. Pure over its source.

import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import { ok, type Result, refused } from "../../../../base/result.ts";
import { oidOf } from "../objects/git-object.ts";
import { encodeTree, isFolder, type TreeEntry } from "../objects/tree-object.ts";
import { readTrees, type TreeSource } from "../objects/tree-source.ts";
import type { FileState } from "./join-entries.ts";

/** `file` is a file, or would be one, and `below` lies below it. */
export type PathClash = { readonly reason: "path_clash"; readonly file: string; readonly below: string };

export type MadeTree = { readonly oid: string; readonly data: Uint8Array };
type AppliedChanges = { readonly root: string; readonly made: readonly MadeTree[] };

/** A path that is changed, or a folder above one. */
type ChangedNode = {
  readonly path: string;
  /** Undefined: the path itself is not changed. */
  change: FileState | null | undefined;
  readonly children: Map<string, ChangedNode>;
  /** The state before: its folder's oid, its entries. */
  before: string | null;
  entries: readonly TreeEntry[];
  /** The state afterwards; null where no file is left. */
  after: string | null;
  /** A path in it, where there is one. */
  first: string | null;
};

/**
 * Sets each path to its state; null removes the file, and a folder that loses its last one. To remove what is not there
 * changes nothing. `made` are the trees that the result needs and `root` had not, children first.
 */
export async function applyChanges(
  source: TreeSource,
  root: string,
  changes: ReadonlyMap<string, FileState | null>,
): Promise<Result<AppliedChanges, PathClash>> {
  const top = placesOf(root, changes);
  const levels = await readPlaces(source, top);
  const made = new Map<string, Uint8Array>();
  for (const level of levels.toReversed()) {
    for (const place of level) {
      const clash = await rewrite(source, place, made);
      if (clash !== null) return refused(clash);
    }
  }
  if (top.after === null && root !== EMPTY_TREE) made.set(EMPTY_TREE, encodeTree([]));
  const trees = [...made].map(([oid, data]) => ({ oid, data }));
  return ok({ root: top.after ?? EMPTY_TREE, made: trees });
}

function newPlace(path: string, before: string | null): ChangedNode {
  return { path, change: undefined, children: new Map(), before, entries: [], after: null, first: null };
}

function placesOf(root: string, changes: ReadonlyMap<string, FileState | null>): ChangedNode {
  const top = newPlace("", root);
  for (const [path, state] of changes) {
    let at = top;
    for (const segment of path.split("/")) {
      let child = at.children.get(segment);
      if (child === undefined) {
        child = newPlace(at.path === "" ? segment : `${at.path}/${segment}`, null);
        at.children.set(segment, child);
      }
      at = child;
    }
    at.change = state;
  }
  return top;
}

/** Reads what is there before, and returns the folders level by level. */
async function readPlaces(
  source: TreeSource,
  top: ChangedNode,
): Promise<readonly (readonly ChangedNode[])[]> {
  const levels: ChangedNode[][] = [];
  let level = [top];
  while (level.length > 0) {
    levels.push(level);
    const treeOf = await readTrees(
      source,
      level.map(({ before }) => before).filter((oid) => oid !== null),
    );
    for (const place of level) {
      if (place.before === null) continue;
      place.entries = treeOf(place.before);
      for (const entry of place.entries) {
        const child = isFolder(entry) ? place.children.get(entry.name) : undefined;
        if (child !== undefined) child.before = entry.oid;
      }
    }
    level = level.flatMap(({ children }) =>
      [...children.values()].filter((child) => child.children.size > 0),
    );
  }
  return levels;
}

/** Settles what a folder is afterwards. Its folders are settled. */
async function rewrite(
  source: TreeSource,
  place: ChangedNode,
  made: Map<string, Uint8Array>,
): Promise<PathClash | null> {
  const entries = new Map(place.entries.map((entry) => [entry.name, entry]));
  let isChanged = false;
  for (const [name, child] of place.children) {
    const entry = entries.get(name);
    const after = await settled(source, child, entry);
    if (!after.ok) return after.refusal;
    const now = after.value === null ? null : { ...after.value, name };
    if (now?.oid === entry?.oid && now?.mode === entry?.mode) continue;
    isChanged = true;
    if (now === null) entries.delete(name);
    else entries.set(name, now);
  }
  const [first] = entries.values();
  place.first = first === undefined ? null : pathIn(place.path, first.name);
  place.after = first === undefined ? null : place.before;
  if (!isChanged || first === undefined) return null;
  const data = encodeTree([...entries.values()]);
  place.after = oidOf({ kind: "tree", data });
  if (place.after !== place.before) made.set(place.after, data);
  return null;
}

/** The entry that a name stands for afterwards: a file, a folder, or nothing. */
async function settled(
  source: TreeSource,
  child: ChangedNode,
  entry: TreeEntry | undefined,
): Promise<Result<Omit<TreeEntry, "name"> | null, PathClash>> {
  const had = entry !== undefined && !isFolder(entry) ? entry : null;
  const file = child.change === undefined ? had : child.change;
  const isOpened = child.children.size > 0;
  const found = isOpened ? child.after : child.before;
  // Git writes no empty folder, but old histories have some.
  const folder = found === EMPTY_TREE ? null : found;
  if (file === null) return ok(folder === null ? null : { mode: "40000", oid: folder });
  if (folder === null) return ok({ mode: file.mode, oid: file.oid });
  const below = isOpened ? child.first : await firstIn(source, child.path, folder);
  return refused({ reason: "path_clash", file: child.path, below: below ?? `${child.path}/` });
}

async function firstIn(source: TreeSource, path: string, folder: string): Promise<string | null> {
  const [first] = (await readTrees(source, [folder]))(folder);
  return first === undefined ? null : pathIn(path, first.name);
}

function pathIn(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

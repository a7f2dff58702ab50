// Sources of trees, and the search for a path in them. Pure over its source.

import { EMPTY_TREE } from "../../../../base/git/object-names.ts";
import { MissingObjectError } from "./git-object.ts";
import { type FileMode, isFolder, type TreeEntry, type TreeMode } from "./tree-object.ts";

/** Reads many trees at once: a level of folders is one request. */
export interface TreeSource {
  /** Throws a MissingObjectError where one is absent. */
  trees(oids: readonly string[]): Promise<ReadonlyMap<string, readonly TreeEntry[]>>;
}

export type FileEntry = { readonly path: string; readonly mode: FileMode; readonly oid: string };
export type PathEntry = { readonly path: string; readonly mode: TreeMode; readonly oid: string };

/** The trees by their oids. The empty tree is known without its source, and every tree is asked for once. */
export async function readTrees(
  source: TreeSource,
  oids: Iterable<string>,
): Promise<(oid: string) => readonly TreeEntry[]> {
  const wanted = new Set(oids);
  wanted.delete(EMPTY_TREE);
  const found = wanted.size === 0 ? new Map<string, readonly TreeEntry[]>() : await source.trees([...wanted]);
  return (oid) => {
    if (oid === EMPTY_TREE) return [];
    const entries = found.get(oid);
    if (entries === undefined) throw new MissingObjectError(oid);
    return entries;
  };
}

/** The entry at a path: a file or a folder. The path "" is the root. Null where nothing is. */
export async function findEntry(source: TreeSource, root: string, path: string): Promise<PathEntry | null> {
  let at: PathEntry = { path, mode: "40000", oid: root };
  if (path === "") return at;
  for (const segment of path.split("/")) {
    if (!isFolder(at)) return null;
    const treeOf = await readTrees(source, [at.oid]);
    const entry = treeOf(at.oid).find(({ name }) => name === segment);
    if (entry === undefined) return null;
    at = { path, mode: entry.mode, oid: entry.oid };
  }
  return at;
}

/** The file at a path; null where there is none, or a folder. */
export async function findFile(source: TreeSource, root: string, path: string): Promise<FileEntry | null> {
  const found = await findEntry(source, root, path);
  return found === null || found.mode === "40000" ? null : { path, mode: found.mode, oid: found.oid };
}

/** Entries of a folder, in git's order. Null where there is no such folder. */
export async function listFolder(
  source: TreeSource,
  root: string,
  folder: string,
): Promise<readonly TreeEntry[] | null> {
  const found = await findEntry(source, root, folder);
  if (found === null || !isFolder(found)) return null;
  const treeOf = await readTrees(source, [found.oid]);
  return treeOf(found.oid);
}

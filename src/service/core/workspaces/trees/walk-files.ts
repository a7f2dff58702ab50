// The files below a folder, in the byte order of their whole paths. Pure over its source.

import { compareBytes } from "../../../../base/byte-order.ts";
import { isFolder, type TreeEntry } from "../objects/tree-object.ts";
import {
  type FileEntry,
  findEntry,
  type PathEntry,
  readTrees,
  type TreeSource,
} from "../objects/tree-source.ts";

export type WalkOptions = {
  /** A folder. Default: the root. */
  readonly under?: string;
  /** A whole path: the walk goes on behind it, whether or not it is there, and reads nothing that lies before. */
  readonly after?: string;
  /** No more files than this. */
  readonly limit?: number;
};

/** Few folders at first, since a short page ends among them; twice as many each time. */
const FIRST_FOLDERS = 32;
const MAX_FOLDERS = 4_096;
/** Files that are looked over for folders before the files at the front are handed out. */
const MAX_AHEAD = 16_384;

/** Yields some files at a time. Folders are read many at once, a level below the other. */
export async function* walkFiles(
  source: TreeSource,
  root: string,
  options: WalkOptions = {},
): AsyncGenerator<readonly FileEntry[]> {
  const { under = "", after } = options;
  let left = options.limit ?? Number.POSITIVE_INFINITY;
  const start = await findEntry(source, root, under);
  if (start === null || !isFolder(start)) return;
  /** Entries that are still to be walked, the first one at the end. */
  const rest: PathEntry[] = [start];
  let maxFolders = FIRST_FOLDERS;
  while (rest.length > 0 && left > 0) {
    const files = takeFiles(rest, left);
    left -= files.length;
    if (files.length > 0) yield files;
    await openFolders(source, rest, { maxFolders, maxAhead: Math.min(left, MAX_AHEAD), after });
    maxFolders = Math.min(MAX_FOLDERS, 2 * maxFolders);
  }
}

/** Takes the files before the first folder. */
function takeFiles(rest: PathEntry[], limit: number): FileEntry[] {
  const files: FileEntry[] = [];
  while (files.length < limit) {
    const next = rest.at(-1);
    if (next === undefined || next.mode === "40000") break;
    files.push({ path: next.path, mode: next.mode, oid: next.oid });
    rest.pop();
  }
  return files;
}

/** Puts the first folders' entries in their place. A folder holds a file at least: no more than `maxAhead` are needed. */
async function openFolders(
  source: TreeSource,
  rest: PathEntry[],
  options: { maxFolders: number; maxAhead: number; after: string | undefined },
): Promise<void> {
  const { maxFolders, maxAhead, after } = options;
  let first = rest.length;
  let folders: string[] = [];
  while (first > 0 && folders.length < maxFolders && rest.length - first < maxAhead) {
    first -= 1;
    const entry = rest[first];
    if (entry !== undefined && isFolder(entry)) folders.push(entry.oid);
  }
  if (folders.length === 0) return;
  const treeOf = await readTrees(source, folders);
  folders = [];
  const opened = rest.splice(first).toReversed();
  const entries = opened.flatMap((entry) =>
    isFolder(entry) ? entriesOf(entry.path, treeOf(entry.oid), after) : [entry],
  );
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    if (entry !== undefined) rest.push(entry);
  }
}

function entriesOf(folder: string, tree: readonly TreeEntry[], after: string | undefined): PathEntry[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  const entries = tree.map(({ mode, name, oid }) => ({ path: prefix + name, mode, oid }));
  // A whole folder lies behind, or before, unless the path is inside.
  const isBehind = after === undefined || (compareBytes(prefix, after) > 0 && !after.startsWith(prefix));
  return isBehind ? entries : entries.filter((entry) => mayFollow(entry, after));
}

function mayFollow(entry: PathEntry, after: string): boolean {
  if (!isFolder(entry)) return compareBytes(entry.path, after) > 0;
  const prefix = `${entry.path}/`;
  return after.startsWith(prefix) || compareBytes(prefix, after) > 0;
}

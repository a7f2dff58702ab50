// Every file below a folder, as the disk has it: files that git ignores too. No link is followed, and git's own folders are
// named and not entered.

import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { isDotGit } from "./git/dot-git.ts";

const ENCODING = "latin1";
/** Folders that are read at the same time. */
const AT_ONCE = 16;

type TreeEntry = {
  /** Relative to the root. Each character is one byte of its name on disk. */
  readonly path: string;
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other" | "git";
};

/**
 * Tells of each entry of each folder, a folder before what is in it. `take` says whether a folder is entered. A folder that
 * cannot be read is passed over.
 */
export async function walkTree(root: string, take: (entry: TreeEntry) => boolean): Promise<void> {
  let level: readonly string[] = [""];
  while (level.length > 0) {
    const next: string[] = [];
    for (let at = 0; at < level.length; at += AT_ONCE) {
      const folders = level.slice(at, at + AT_ONCE);
      const listed = await Promise.all(folders.map((folder) => entriesOf(root, folder)));
      for (const entry of listed.flat()) if (take(entry) && entry.kind === "folder") next.push(entry.path);
    }
    level = next;
  }
}

async function entriesOf(root: string, folder: string): Promise<readonly TreeEntry[]> {
  const place = Buffer.concat([Buffer.from(root), Buffer.from(folder === "" ? "" : `/${folder}`, ENCODING)]);
  const entries = await readdir(place, { withFileTypes: true, encoding: "buffer" }).catch(() => []);
  return entries.map((entry) => {
    const name = entry.name.toString(ENCODING);
    return { path: folder === "" ? name : `${folder}/${name}`, name, kind: kindOf(entry, name) };
  });
}

function kindOf(entry: Dirent<Buffer>, name: string): TreeEntry["kind"] {
  if (isDotGit(name)) return "git";
  if (entry.isDirectory()) return "folder";
  if (entry.isFile()) return "file";
  return entry.isSymbolicLink() ? "link" : "other";
}

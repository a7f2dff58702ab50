// Weighs the tracked files, with a bound on how many are looked at.

import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { isForeign } from "../../tools/foreign-files.ts";

/** Files weighed at most. A larger repository is measured by its first files, and the briefing says so. */
export const MAX_WEIGHED_FILES = 50_000;
const AT_ONCE = 64;

export type WeighedFile = {
  readonly path: string;
  readonly bytes: number;
  /** Nobody of the project wrote it. */
  readonly isForeign: boolean;
};

export type FileSizes = {
  /** In git's order; symbolic links and what is not there are left out. */
  readonly files: readonly WeighedFile[];
  /** How many of the tracked files were looked at. */
  readonly weighed: number;
};

export type FilesToWeigh = {
  readonly root: string;
  readonly paths: readonly string[];
  readonly signal: AbortSignal;
};

/** Sizes of the files, links not followed. Rejects with the signal's reason when it aborts. */
export async function weighFiles({ root, paths, signal }: FilesToWeigh): Promise<FileSizes> {
  const weighed = paths.slice(0, MAX_WEIGHED_FILES);
  const files: WeighedFile[] = [];
  for (let at = 0; at < weighed.length; at += AT_ONCE) {
    signal.throwIfAborted();
    const batch = await Promise.all(weighed.slice(at, at + AT_ONCE).map((path) => weighFile(root, path)));
    for (const file of batch) if (file !== null) files.push(file);
  }
  return { files, weighed: weighed.length };
}

async function weighFile(root: string, path: string): Promise<WeighedFile | null> {
  const about = await lstat(join(root, path)).catch(() => null);
  return about?.isFile() === true ? { path, bytes: about.size, isForeign: isForeign(path) } : null;
}

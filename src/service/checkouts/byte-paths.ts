// Paths as git and the disk have them: bytes. Each character here is one byte, so that a name that is not UTF-8 still
// names its file. Only what a person reads is decoded.

import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { dirname } from "node:path";

const ENCODING = "latin1";

/** The thing at a path. `bytes` is the size of a regular file; both are null where there is neither a file nor a link. */
export type Found = { readonly path: string; readonly bytes: number | null; readonly about: Stats | null };

/** Git's output with -z, in whole records. */
export function byteRecords(output: Buffer): string[] {
  const records = output.toString(ENCODING).split("\0");
  records.pop();
  return records;
}

/** For git to read. */
export function bytesOf(text: string): Buffer {
  return Buffer.from(text, ENCODING);
}

/** For people. What is not UTF-8 becomes U+FFFD. */
export function shownPath(path: string): string {
  return bytesOf(path).toString("utf8");
}

/** Reads what is at paths below `root`, without following a symbolic link in any of them. */
export async function findPaths(root: string, paths: readonly string[]): Promise<Found[]> {
  const at = (path: string) => Buffer.concat([Buffer.from(`${root}/`), bytesOf(path)]);
  const folders = new Map<string, Promise<boolean>>();
  const isFolder = (path: string): Promise<boolean> => {
    if (path === ".") return Promise.resolve(true);
    let answer = folders.get(path);
    if (answer === undefined) {
      answer = isFolder(dirname(path)).then((isReached) => isReached && isRealFolder(at(path)));
      folders.set(path, answer);
    }
    return answer;
  };
  const found: Found[] = [];
  for (const path of paths) {
    const about = (await isFolder(dirname(path))) ? await lstat(at(path)).catch(() => null) : null;
    const isThere = about?.isFile() === true || about?.isSymbolicLink() === true;
    found.push({
      path,
      bytes: !isThere ? null : about.isFile() ? about.size : 0,
      about: isThere ? about : null,
    });
  }
  return found;
}

async function isRealFolder(path: Buffer): Promise<boolean> {
  return await lstat(path).then(
    (about) => about.isDirectory(),
    () => false,
  );
}

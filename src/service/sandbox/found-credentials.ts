// Looks for files of credentials inside folders that commands are about to see, by their names. Bounded: the folders of
// toolchains are large, and such files lie near their top.

import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { PathRules } from "../../contract/paths/path-rules.ts";

/** `<tool cache>/node/<version>/<machine>/etc/npmrc`. */
const MAX_DEPTH = 5;
const MAX_FOLDERS = 5_000;
/** Folders that are read at the same time. */
const AT_ONCE = 16;
/** Folders of packages: thousands of files, none of them this machine's settings. */
const passedOver: ReadonlySet<string> = new Set([
  "include",
  "share",
  "src",
  "doc",
  "docs",
  "node_modules",
  "site-packages",
  "dist-packages",
  "content-v2",
  "index-v5",
]);

const rules = new PathRules();

export type FoundCredentials = {
  /** Files and folders. */
  readonly paths: readonly string[];
  /** False: there are more folders than are searched. */
  readonly isWhole: boolean;
};

/** Follows no link: inside the sandbox, a link leads only to what is shown there. */
export async function findCredentials(roots: readonly string[]): Promise<FoundCredentials> {
  const found: string[] = [];
  let level: readonly string[] = roots;
  let left = MAX_FOLDERS;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (let at = 0; at < level.length; at += AT_ONCE) {
      if (left === 0) return { paths: found, isWhole: false };
      const folders = level.slice(at, at + Math.min(AT_ONCE, left));
      left -= folders.length;
      const listed = await Promise.all(folders.map(entriesOf));
      for (const { path, entry } of listed.flat()) {
        if (entry.isDirectory()) {
          if (isSecret(path)) found.push(path);
          else if (!passedOver.has(entry.name)) next.push(path);
        } else if (entry.isFile() && isSecret(path)) found.push(path);
      }
    }
    level = next;
  }
  return { paths: found, isWhole: true };
}

function isSecret(path: string): boolean {
  return rules.names(path, "secret", "cached secret");
}

async function entriesOf(folder: string): Promise<{ readonly path: string; readonly entry: Dirent }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.map((entry) => ({ path: join(folder, entry.name), entry }));
}

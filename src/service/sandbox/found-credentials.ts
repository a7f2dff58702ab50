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
  /** The roots of which a part was not searched: they have more folders. */
  readonly unsearched: readonly string[];
};

/** Each root has the bound for itself: a large one takes nothing from the others. Follows no link: inside the sandbox, a link leads only to what is shown there. */
export async function findCredentials(roots: readonly string[]): Promise<FoundCredentials> {
  const paths: string[] = [];
  const unsearched: string[] = [];
  for (const root of roots) if (!(await searchRoot(root, paths))) unsearched.push(root);
  return { paths, unsearched };
}

/** Whether all of it was searched. Adds to `found`. */
async function searchRoot(root: string, found: string[]): Promise<boolean> {
  let level: readonly string[] = [root];
  let left = MAX_FOLDERS;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: string[] = [];
    const folders = level.slice(0, left);
    left -= folders.length;
    for (let at = 0; at < folders.length; at += AT_ONCE) {
      const listed = await Promise.all(folders.slice(at, at + AT_ONCE).map(entriesOf));
      for (const { path, entry } of listed.flat()) {
        if (entry.isDirectory()) {
          if (isSecret(path)) found.push(path);
          else if (!passedOver.has(entry.name)) next.push(path);
        } else if (entry.isFile() && isSecret(path)) found.push(path);
      }
    }
    if (folders.length < level.length) return false;
    level = next;
  }
  return true;
}

function isSecret(path: string): boolean {
  return rules.names(path, "secret", "cached secret");
}

async function entriesOf(folder: string): Promise<{ readonly path: string; readonly entry: Dirent }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.map((entry) => ({ path: join(folder, entry.name), entry }));
}

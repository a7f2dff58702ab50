// Looks for files of credentials inside folders that commands are about to see, by their names. Bounded: the folders of
// toolchains are large, and such files lie near their top.

import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { PathRules } from "../../contract/paths/path-rules.ts";

/** `<tool cache>/node/<version>/<machine>/etc/npmrc`. */
const MAX_DEPTH = 5;
const MAX_FOLDERS = 5_000;
/** What packages are made of: thousands of files, none of them this machine's settings. */
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

/** Files and folders. Follows no link: inside the sandbox, a link leads only to what is shown there. */
export async function findCredentials(roots: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  let level: readonly string[] = roots;
  let seen = 0;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      seen += 1;
      if (seen > MAX_FOLDERS) return found;
      for (const entry of await entriesOf(folder)) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) {
          if (isSecret(path)) found.push(path);
          else if (!passedOver.has(entry.name)) next.push(path);
        } else if (entry.isFile() && isSecret(path)) found.push(path);
      }
    }
    level = next;
  }
  return found;
}

function isSecret(path: string): boolean {
  return rules.names(path, "secret", "cached secret");
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return await readdir(folder, { withFileTypes: true }).catch(() => []);
}

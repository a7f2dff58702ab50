// A checkout over a plain folder, for what needs no git.

import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { ok } from "../../../../src/base/result.ts";
import type { Checkout } from "../../../../src/service/core/checkouts/checkout.ts";

export async function folderCheckout(
  files: Readonly<Record<string, string | Buffer>>,
  folder: string = tmpdir(),
): Promise<Checkout> {
  const root = await realpath(await mkdtemp(join(folder, "tools-test-")));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return {
    root,
    headSha: "0".repeat(40),
    recentCommits: async () => [],
    history: {
      resolve: async () => null,
      commit: () => Promise.reject(new Error("There is no git here.")),
      diff: async () => ({ text: "", complete: true }),
      workingDiff: async () => ({ text: "", complete: true }),
      fileAt: async () => null,
      blame: async () => [],
    },
    changesSinceBase: async () => null,
    diffSinceBase: async () => null,
    instructions: async () => null,
    trustedText: async () => null,
    trustedPaths: async () => [],
    ignored: async () => [],
    hideAgentFiles: async () => null,
    workingChanges: async () => ({ baseSha: "0".repeat(40), files: [], patch: "", heldBack: [] }),
    restore: async () => ok(null),
    keepTree: async () => null,
    bringBack: () => Promise.reject(new Error("There is no git here.")),
    findText: async () => ({ matches: [], complete: true }),
    countText: async () => ({ counts: [], complete: true }),
    files: async () => {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      const found = entries.filter((entry) => !entry.isDirectory());
      return found.map((entry) => relative(root, join(entry.parentPath, entry.name))).toSorted();
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
}

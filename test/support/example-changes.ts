// What a run that changed files reports, made by real git: for backends that only say what they did.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestRepository } from "../../fakes/code-host/git-repository.ts";
import type { ChangesEvent } from "../../src/contract/runs/changes.ts";

/** The changes that give these files their text, on top of a commit. No ref and no file of the repository moves. */
export function changesOnto(
  repository: TestRepository,
  { base, files }: { base: string; files: Readonly<Record<string, string>> },
): ChangesEvent["value"] {
  const folder = mkdtempSync(join(tmpdir(), "changes-"));
  const env = { GIT_INDEX_FILE: join(folder, "index") };
  try {
    repository.git(["read-tree", base], { env });
    const lines = Object.entries(files).map(([path, text]) => `100644 ${repository.blob(text)}\t${path}\n`);
    repository.git(["update-index", "--index-info"], { env, input: lines.join("") });
    const tree = repository.git(["write-tree"], { env });
    const diff = ["diff-tree", "-r", "-p", "--binary", "--full-index", base, tree];
    return {
      base_sha: repository.git(["rev-parse", base]),
      files: Object.keys(files).map((path) => ({ path, status: "modified", additions: 1, deletions: 1 })),
      patch: `${repository.git(diff)}\n`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

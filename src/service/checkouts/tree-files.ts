// Files of the tree as it is now, listed by git: it neither follows links nor enters other repositories.

import type { GitCall, GitOutput } from "../../base/git/git.ts";
import { splitRecords } from "./git-output.ts";

export type RunGit = (call: Omit<GitCall, "signal">) => Promise<GitOutput>;

/** Advice where git ran into its time limit. */
export const SEARCH_ADVICE = "Look for a pipe in place of a .gitignore, and for very many files.";

const SUBMODULE_MODE = "160000";
const MODE_START = 2;

/** Files of the commit that are still there, and new ones that are not ignored, in git's order. */
export async function listTree(runGit: RunGit): Promise<readonly string[]> {
  const wanted = ["--cached", "--others", "--deleted", "--exclude-standard"];
  return parseTree((await runGit({ args: ["ls-files", "-z", "-t", "--stage", ...wanted] })).stdout);
}

/** Paths whose files differ from the commit, are new or gone. */
export async function listTouched(runGit: RunGit): Promise<readonly string[]> {
  const wanted = ["--modified", "--others", "--exclude-standard"];
  return splitRecords((await runGit({ args: ["ls-files", "-z", ...wanted] })).stdout).filter(isFile);
}

/** Files of the commit that git would ignore, were they not of the commit. */
export async function listTrackedIgnored(runGit: RunGit): Promise<readonly string[]> {
  return splitRecords(
    (await runGit({ args: ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"] })).stdout,
  );
}

/** Paths that git ignores; a folder stands for all in it. */
export async function listIgnored(runGit: RunGit): Promise<readonly string[]> {
  const wanted = ["--others", "--ignored", "--exclude-standard", "--directory"];
  const output = await runGit({ args: ["ls-files", "-z", ...wanted] });
  return splitRecords(output.stdout).map((path) => (path.endsWith("/") ? path.slice(0, -1) : path));
}

/** Of `git ls-files -z -t --stage`: a tag, then mode, name and stage for what is in the index. */
function parseTree(output: Buffer): string[] {
  const tracked = new Set<string>();
  const others: string[] = [];
  for (const record of splitRecords(output)) {
    const tag = record.charAt(0);
    const rest = record.slice(MODE_START);
    if (tag === "?") {
      if (isFile(rest)) others.push(rest);
      continue;
    }
    const path = rest.slice(rest.indexOf("\t") + 1);
    if (tag === "R") tracked.delete(path);
    else if (!rest.startsWith(SUBMODULE_MODE)) tracked.add(path);
  }
  return others.length === 0 ? [...tracked] : [...tracked, ...others].toSorted();
}

/** A folder is a repository of its own. */
function isFile(path: string): boolean {
  return !path.endsWith("/");
}

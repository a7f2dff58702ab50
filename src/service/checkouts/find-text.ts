// Searches texts in the tree as it is now. Git reads the files. Files that are too large, and files behind a link that
// leads out of the tree, are left out.

import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Checkout, TextMatch, TextQuery } from "../core/ports/checkout.ts";
import { parseMatches } from "./git-output.ts";
import { listTouched, listTrackedIgnored, type RunGit } from "./tree-files.ts";

const MAX_MATCHES_BYTES = 2 * 1024 * 1024;
const MAX_MATCH_TEXT_BYTES = 1024;
/** Git reads a file whole to search it. */
const MAX_FILE_BYTES = 5_000_000;
/** The length of a command line is limited. */
const MAX_PATHSPECS = 500;
const FILES_AT_ONCE = 64;

const GREP = ["grep", "-I", "-n", "-z", "-F", "--no-color", "--no-textconv", "--no-recurse-submodules"];

export type SearchedTree = {
  readonly runGit: RunGit;
  readonly root: string;
  /** Files of the commit that are too large to be searched. */
  readonly unsearched: readonly string[];
};

type Found = Awaited<ReturnType<Checkout["findText"]>>;

export async function findTextInTree(tree: SearchedTree, query: TextQuery): Promise<Found> {
  const { runGit, root, unsearched } = tree;
  const touched = await listTouched(runGit);
  if (touched.length === 0) return await grep(runGit, { query, pathspecs: pathspecsOf(query, unsearched) });
  // By the index, git would open a file below a folder that has become a link to somewhere else. This walks the tree.
  const large = await keepFiles([...new Set([...unsearched, ...touched])], (path) => isLarge(root, path));
  const walked = await grep(runGit, {
    query,
    pathspecs: pathspecsOf(query, large),
    options: ["--untracked"],
  });
  const rest = await keepFiles(inFolder(await listTrackedIgnored(runGit), query.folder), (path) =>
    isOwnFile(root, path),
  );
  const found = [walked];
  for (let at = 0; at < rest.length; at += MAX_PATHSPECS) {
    const pathspecs = rest.slice(at, at + MAX_PATHSPECS).map((path) => `:(literal,top)${path}`);
    found.push(await grep(runGit, { query, pathspecs }));
  }
  return { matches: inOrder(found), complete: found.every(({ complete }) => complete) };
}

type Grep = {
  readonly query: TextQuery;
  readonly pathspecs: readonly string[];
  readonly options?: readonly string[];
};

async function grep(runGit: RunGit, { query, pathspecs, options = [] }: Grep): Promise<Found> {
  const texts = query.texts.flatMap((text) => ["-e", text]);
  const how = [...options];
  if (query.wholeWord) how.push("--word-regexp");
  if (query.ignoreCase) how.push("--ignore-case");
  const { stdout, complete } = await runGit({
    args: [...GREP, ...how, ...texts, "--", ...pathspecs],
    maxOutputBytes: MAX_MATCHES_BYTES,
    onOverflow: "keep",
    allowedExitCodes: [0, 1],
  });
  return { matches: parseMatches(stdout, MAX_MATCH_TEXT_BYTES), complete };
}

function pathspecsOf({ folder }: TextQuery, skipped: readonly string[]): string[] {
  const searched = folder === "" ? [] : [`:(literal,top)${folder}`];
  const left = inFolder(skipped, folder).slice(0, MAX_PATHSPECS);
  return [...searched, ...left.map((path) => `:(exclude,literal,top)${path}`)];
}

function inFolder(paths: readonly string[], folder: string): readonly string[] {
  return folder === "" ? paths : paths.filter((path) => path === folder || path.startsWith(`${folder}/`));
}

async function keepFiles(
  paths: readonly string[],
  isWanted: (path: string) => Promise<boolean>,
): Promise<string[]> {
  const kept: string[] = [];
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE) {
    const batch = paths.slice(at, at + FILES_AT_ONCE);
    const answers = await Promise.all(batch.map(isWanted));
    kept.push(...batch.filter((_path, index) => answers[index]));
  }
  return kept;
}

async function isLarge(root: string, path: string): Promise<boolean> {
  const file = await lstat(join(root, path)).catch(() => null);
  return file?.isFile() === true && file.size > MAX_FILE_BYTES;
}

/** A file that git may read: not too large, and without a symbolic link in the path of its folder. */
async function isOwnFile(root: string, path: string): Promise<boolean> {
  const folder = dirname(path);
  const [realRoot, realFolder] = await Promise.all(
    [root, join(root, folder)].map((name) => realpath(name).catch(() => null)),
  );
  if (realRoot === null || realFolder !== join(realRoot ?? "", folder)) return false;
  const file = await lstat(join(root, path)).catch(() => null);
  return file?.isFile() === true && file.size <= MAX_FILE_BYTES;
}

function inOrder(found: readonly Found[]): readonly TextMatch[] {
  const [only, ...more] = found;
  if (more.length === 0) return only?.matches ?? [];
  return found
    .flatMap(({ matches }) => matches)
    .toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

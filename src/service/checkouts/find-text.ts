// Searches the tree as it is now. Git reads the files, in a process that is ended when a pattern takes too long. Files that are
// too large, and files behind a link that leads out of the tree, are left out.

import { lstat, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathMatcher } from "../../base/path-pattern.ts";
import type { Checkout, TextQuery } from "../core/checkouts/checkout.ts";
import { parseCounts, parseMatches } from "./git-output.ts";
import { type Grep, grepTree } from "./grep.ts";
import { listTouched, listTrackedIgnored, type RunGit } from "./tree-files.ts";

const MAX_MATCH_TEXT_BYTES = 1024;
/** Git reads a file whole to search it. */
const MAX_FILE_BYTES = 5_000_000;
/** The length of a command line is limited. */
const MAX_PATHSPECS = 500;
const FILES_AT_ONCE = 64;

type SearchedTree = {
  readonly runGit: RunGit;
  readonly root: string;
  /** Files of the commit that are too large to be searched. */
  readonly unsearched: readonly string[];
};

type Found = Awaited<ReturnType<Checkout["findText"]>>;
type Counted = Awaited<ReturnType<Checkout["countText"]>>;

export async function findTextInTree(tree: SearchedTree, query: TextQuery, context: number): Promise<Found> {
  const outputs = await grepEverywhere(tree, query, ["-n", "--column", `-C${context}`]);
  const found = outputs.map(({ stdout }) => parseMatches(stdout, MAX_MATCH_TEXT_BYTES));
  return { matches: inOrder(found), complete: outputs.every(({ complete }) => complete) };
}

export async function countTextInTree(tree: SearchedTree, query: TextQuery): Promise<Counted> {
  const outputs = await grepEverywhere(tree, query, ["-c"]);
  const counted = outputs.map(({ stdout }) => parseCounts(stdout));
  return { counts: inOrder(counted), complete: outputs.every(({ complete }) => complete) };
}

async function grepEverywhere(
  { runGit, root, unsearched }: SearchedTree,
  query: TextQuery,
  options: readonly string[],
): Promise<Awaited<ReturnType<typeof grepTree>>[]> {
  const grep = (call: Omit<Grep, "query">) => grepTree(runGit, { query, ...call });
  const touched = await listTouched(runGit);
  if (touched.length === 0) return [await grep({ options, pathspecs: pathspecsOf(query, unsearched) })];
  // By the index, git would open a file below a folder that has become a link to somewhere else. This walks the tree.
  const large = await keepFiles([...new Set([...unsearched, ...touched])], (path) => isLarge(root, path));
  const pathspecs = pathspecsOf(query, large);
  const outputs = [await grep({ options: [...options, "--untracked"], pathspecs })];
  const ignored = (await listTrackedIgnored(runGit)).filter(testOf(query));
  const rest = await keepFiles(ignored, (path) => isOwnFile(root, path));
  for (let at = 0; at < rest.length; at += MAX_PATHSPECS) {
    const some = rest.slice(at, at + MAX_PATHSPECS).map((path) => `:(literal,top)${path}`);
    outputs.push(await grep({ options, pathspecs: some }));
  }
  return outputs;
}

function pathspecsOf({ path, globs, leaveOut }: TextQuery, skipped: readonly string[]): string[] {
  const place = path === "" ? "" : `${literally(path)}/`;
  const patterns = globs.flatMap((glob) => {
    const escaped = glob.replaceAll("\\", "\\\\");
    return escaped.includes("[") ? [escaped, escaped.replaceAll("[", "\\[")] : [escaped];
  });
  const whole = path === "" ? [] : [`:(literal,top)${path}`];
  return [
    ...(patterns.length === 0 ? whole : patterns.map((pattern) => `:(top,glob)${place}${pattern}`)),
    ...inFolder(skipped, path)
      .slice(0, MAX_PATHSPECS)
      .map((one) => `:(exclude,literal,top)${one}`),
    ...leaveOut.map((pattern) => `:(exclude,top,glob)${pattern}`),
  ];
}

/** A path in which nothing is special to git's patterns. */
function literally(path: string): string {
  return path.replace(/[\\*?[]/g, (special) => `\\${special}`);
}

/** The test of the pathspecs, for paths that are given one by one. */
function testOf({ path, globs, leaveOut }: TextQuery): (file: string) => boolean {
  const matches = pathMatcher(globs);
  const isLeftOut = pathMatcher(leaveOut);
  const start = path === "" ? 0 : path.length + 1;
  return (file) =>
    (path === "" || file === path || file.startsWith(`${path}/`)) &&
    (globs.length === 0 || matches(file.slice(start))) &&
    !isLeftOut(file);
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

/** Several lists as one, by path; what is of one path keeps its order. */
function inOrder<Line extends { readonly path: string; readonly line?: number }>(
  lists: readonly (readonly Line[])[],
): readonly Line[] {
  const [only, ...more] = lists;
  if (more.length === 0) return only ?? [];
  return lists
    .flat()
    .toSorted((a, b) => (a.path === b.path ? (a.line ?? 0) - (b.line ?? 0) : a.path < b.path ? -1 : 1));
}

// A checked-out commit, and what git reads of it: one process for each call.

import { lstat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Git, type GitCall, GitError, type GitOutput } from "../../base/git/git.ts";
import { PathRules, protectedPathGuard } from "../../contract/paths/path-rules.ts";
import { type Checkout, CheckoutError, type CheckoutSource } from "../core/checkouts/checkout.ts";
import { type CoveredFiles, isCovered } from "../core/ports/covered-files.ts";
import type { PullRequestBase } from "./fetch-pull-request.ts";
import { countTextInTree, findTextInTree } from "./find-text.ts";
import { COMMIT_FORMAT, fileIn, parseChanges, parseCommits, splitRecords } from "./git-output.ts";
import { type Hidden, hideAgentFiles } from "./hide-agent-files.ts";
import { TreeKeeper } from "./kept-tree.ts";
import { historyOf } from "./read-history.ts";
import { type RunFolder, removeFolder } from "./run-folder.ts";
import { listIgnored, listTree, SEARCH_ADVICE } from "./tree-files.ts";
import { collectChanges, restoreChanges, type TreeState } from "./working-changes.ts";

const MAX_HISTORY_BYTES = 16 * 1024 * 1024;
const INSTRUCTIONS_FILE = "AGENTS.md";
const MAX_INSTRUCTIONS_BYTES = 64 * 1024;
const MAX_TRUSTED_TEXT_BYTES = 256 * 1024;
/** Of some fifty thousand files. A longer one is asked for each time. */
const MAX_KEPT_LISTING_BYTES = 5_000_000;
const MAX_DIFF_BYTES = 4 * 1024 * 1024;
const DIFF_OPTIONS = ["-M", "--no-ext-diff", "--no-textconv", "--no-color"];
/** Modes 100644 and 100755. */
const REGULAR_FILE = "100";
const mergeRefPattern = /^refs\/(pull|merge-requests)\/\d+\/merge$/;

type OpenCheckout = {
  readonly git: Git;
  readonly folder: RunFolder;
  readonly source: Pick<CheckoutSource, "sha" | "ref" | "event" | "baseRef">;
  /** Whether writers made the commit. */
  readonly isTrusted: boolean;
  /** The base of a pull request, where that is known. Default: the first parent of the provider's merge commit. */
  readonly base?: PullRequestBase | null;
  /** The commit's files, as `git ls-tree -r -l -z` prints them. Default: git is asked. */
  readonly listing?: Buffer;
  /** Files that are too large to be searched. */
  readonly unsearched: readonly string[];
  /** Rules for paths that act and that are secret. Default: the known paths of the contract. */
  readonly rules?: PathRules;
  /** The state of the tree before the run. Default: what was checked out. */
  readonly since?: TreeState;
  /** Files of the tree that are not for an agent. Default: nothing. */
  readonly covered?: CoveredFiles;
  /** The files go on after the run: what an agent may not see of them is put back at the end. */
  readonly isBorrowed?: true;
  /** Ends every process that a call started. */
  readonly signal: AbortSignal;
};

/** The checkout over an already checked-out folder. It owns the folder and removes it on `close()`. */
export function gitCheckout({ listing, ...open }: OpenCheckout): Checkout {
  const { git, folder, source, unsearched, signal, covered, rules = new PathRules() } = open;
  const isProtected = protectedPathGuard([], rules);
  const closed = new AbortController();
  const until = (end: AbortSignal) => ({ git, signal: AbortSignal.any([end, closed.signal]) });
  const gitUntil = (end: AbortSignal) => {
    const { signal: either } = until(end);
    return (call: Omit<GitCall, "signal">): Promise<GitOutput> => git({ ...call, signal: either });
  };
  const runGit = gitUntil(signal);
  const since = open.since === undefined ? {} : { since: open.since };
  const searched = { runGit, root: folder.tree, unsearched };
  const listings = new Map<string, Buffer>();
  const keepListing = (commit: string, files: Buffer): Buffer => {
    if (files.length <= MAX_KEPT_LISTING_BYTES) listings.set(commit, files);
    return files;
  };
  if (listing !== undefined) keepListing(source.sha, listing);
  const listingOf = async (commit: string): Promise<Buffer> => {
    const args = ["ls-tree", "-r", "-l", "-z", "--full-tree", commit];
    return listings.get(commit) ?? keepListing(commit, (await runGit({ args })).stdout);
  };
  const keeper = new TreeKeeper({ folder, headSha: source.sha });
  let hidden: Hidden | null = null;
  const working = () => ({
    runGit,
    folder,
    headSha: source.sha,
    isProtected,
    ...since,
    ...(hidden === null ? {} : { placed: hidden.placed }),
  });

  return {
    root: folder.tree,
    folderName: basename(folder.path),
    gitFolder: folder.git,
    ...(covered === undefined ? {} : { covered }),
    headSha: source.sha,

    history: historyOf(working),

    async recentCommits(limit, { skip = 0, from = null, to = null, paths = [] } = {}) {
      const range = `${from === null ? "" : `${from}..`}${to ?? "HEAD"}`;
      const count = [`--max-count=${limit}`, `--skip=${skip}`];
      const args = [
        "log",
        "-z",
        "--encoding=UTF-8",
        ...count,
        `--format=${COMMIT_FORMAT}`,
        range,
        "--",
        ...paths,
      ];
      const env = { GIT_LITERAL_PATHSPECS: "1" };
      const log = await runGit({ args, env, maxOutputBytes: MAX_HISTORY_BYTES, onOverflow: "keep" });
      return parseCommits(log.stdout);
    },

    async instructions() {
      const commit = await trustedCommit(open, runGit);
      if (commit === null) return null;
      const file = fileIn(await listingOf(commit), INSTRUCTIONS_FILE);
      // A symbolic link is not followed.
      if (file?.mode.startsWith(REGULAR_FILE) !== true) return null;
      const text = await runGit({
        args: ["cat-file", "blob", file.name],
        maxOutputBytes: MAX_INSTRUCTIONS_BYTES,
        onOverflow: "keep",
      });
      return text.stdout.toString("utf8");
    },

    async trustedText(path) {
      const commit = await trustedCommit(open, runGit);
      if (commit === null) return null;
      const file = fileIn(await listingOf(commit), path);
      if (file?.mode.startsWith(REGULAR_FILE) !== true || file.bytes > MAX_TRUSTED_TEXT_BYTES) return null;
      const args = ["cat-file", "blob", file.name];
      const text = await runGit({ args, maxOutputBytes: MAX_TRUSTED_TEXT_BYTES });
      return text.stdout.toString("utf8");
    },

    async trustedPaths(isWanted) {
      const commit = await trustedCommit(open, runGit);
      if (commit === null) return [];
      const listing = await explained(() => listingOf(commit));
      return splitRecords(listing).flatMap((entry) => {
        const path = entry.slice(entry.indexOf("\t") + 1);
        return entry.startsWith(REGULAR_FILE) && isWanted(path) ? [path] : [];
      });
    },

    async hideAgentFiles() {
      const base = await trustedCommit(open, runGit);
      if (base === source.sha) return null;
      const keptIn = open.isBorrowed === true ? join(folder.path, "hidden") : null;
      hidden = await hideAgentFiles({ runGit, root: folder.tree, rules, base, keptIn });
      return hidden.files;
    },

    async changesSinceBase() {
      const baseSha = await comparedWith(open, runGit);
      if (baseSha === null) return null;
      const args = ["diff-tree", "-r", "-z", "--raw", "--numstat", ...DIFF_OPTIONS, baseSha, source.sha];
      return { baseSha, files: parseChanges((await runGit({ args })).stdout) };
    },

    async diffSinceBase(paths = []) {
      const baseSha = await comparedWith(open, runGit);
      if (baseSha === null) return null;
      const args = ["diff-tree", "-r", "-p", ...DIFF_OPTIONS, baseSha, source.sha, "--", ...paths];
      const env = { GIT_LITERAL_PATHSPECS: "1" };
      const bounds = { maxOutputBytes: MAX_DIFF_BYTES, onOverflow: "keep" } as const;
      const { stdout, complete } = await explained(() => runGit({ args, env, ...bounds }));
      return { baseSha, text: stdout.toString("utf8"), isWhole: complete };
    },

    workingChanges: (end = signal) => collectChanges({ ...working(), runGit: gitUntil(end) }),
    restore: (patch) => restoreChanges(working(), patch),
    keepTree: (known, end = signal) => keeper.keep(until(end), known),
    bringBack: (kept, end = signal) => keeper.bringBack(until(end), kept),

    async findText(query, context = 0) {
      const { matches, complete } = await explained(() => findTextInTree(searched, query, context));
      return { matches: await withoutCovered(open, matches), complete };
    },
    async countText(query) {
      const { counts, complete } = await explained(() => countTextInTree(searched, query));
      return { counts: await withoutCovered(open, counts), complete };
    },
    files: async () => {
      const paths = await explained(() => listTree(runGit));
      return paths.filter((path) => !isCovered(covered, { path }));
    },
    ignored: () => explained(() => listIgnored(runGit)),

    async close() {
      closed.abort(new Error("The checkout is closed."));
      await hidden?.putBack();
      await removeFolder(folder.path);
    },
  };
}

/** The lines without those of covered files, also where these were moved. */
async function withoutCovered<Line extends { readonly path: string }>(
  { covered, folder }: Pick<OpenCheckout, "covered" | "folder">,
  lines: readonly Line[],
): Promise<readonly Line[]> {
  if (covered === undefined || covered.files.length === 0) return lines;
  const left = new Set<string>();
  for (const path of new Set(lines.map((line) => line.path))) {
    const about = await lstat(join(folder.tree, path)).catch(() => null);
    if (isCovered(covered, { path }) || (about !== null && isCovered(covered, about))) left.add(path);
  }
  return lines.filter(({ path }) => !left.has(path));
}

/** A failure of git as an error of the port. */
async function explained<Value>(search: () => Promise<Value>): Promise<Value> {
  try {
    return await search();
  } catch (cause) {
    if (!(cause instanceof GitError)) throw cause;
    const message = `The files could not be searched. ${cause.message} ${SEARCH_ADVICE}`;
    throw new CheckoutError(message, { cause });
  }
}

/** Only where the provider made the commit: a merge whose first parent is the base. The first parent of any other merge need not be. */
function isPullRequest(source: OpenCheckout["source"]): boolean {
  return (source.event === "pull_request" || source.baseRef !== null) && mergeRefPattern.test(source.ref);
}

/** The commit whose files a maintainer has agreed to. Null where none is in reach. */
async function trustedCommit(
  { base, source, isTrusted }: Pick<OpenCheckout, "base" | "source" | "isTrusted">,
  runGit: (call: Omit<GitCall, "signal">) => Promise<GitOutput>,
): Promise<string | null> {
  if (base !== undefined && base !== null) return base.tip;
  if (isPullRequest(source)) return await mergeBase(runGit);
  return isTrusted ? source.sha : null;
}

/** Null where the commit is none of a pull request, or no base is in reach. */
async function comparedWith(
  { base, source }: Pick<OpenCheckout, "base" | "source">,
  runGit: (call: Omit<GitCall, "signal">) => Promise<GitOutput>,
): Promise<string | null> {
  return base?.mergeBase ?? (isPullRequest(source) ? await mergeBase(runGit) : null);
}

async function mergeBase(
  runGit: (call: Omit<GitCall, "signal">) => Promise<GitOutput>,
): Promise<string | null> {
  const line = await runGit({ args: ["rev-list", "--parents", "--max-count=1", "HEAD"] });
  const [, base, head, ...more] = line.stdout.toString("latin1").trim().split(" ");
  return base !== undefined && head !== undefined && more.length === 0 ? base : null;
}

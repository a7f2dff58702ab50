// A checked-out commit, and what git reads of it: one process for each call.

import { type Git, type GitCall, GitError, type GitOutput } from "../../base/git/git.ts";
import { type PathGuard, protectedPathGuard } from "../../contract/protected-paths.ts";
import { type Checkout, CheckoutError, type CheckoutSource } from "../core/ports/checkout.ts";
import type { PullRequestBase } from "./fetch-pull-request.ts";
import { findTextInTree } from "./find-text.ts";
import { COMMIT_FORMAT, parseChanges, parseCommits } from "./git-output.ts";
import { type Hidden, hideAgentFiles } from "./hide-agent-files.ts";
import { type RunFolder, removeFolder } from "./run-folder.ts";
import { listTree, SEARCH_ADVICE } from "./tree-files.ts";
import { collectChanges, restoreChanges, type TreeState } from "./working-changes.ts";

const MAX_HISTORY_BYTES = 16 * 1024 * 1024;
const INSTRUCTIONS_FILE = "AGENTS.md";
const MAX_INSTRUCTIONS_BYTES = 64 * 1024;
/** Modes 100644 and 100755. */
const REGULAR_FILE = "100";
const mergeRefPattern = /^refs\/(pull|merge-requests)\/\d+\/merge$/;

export type OpenCheckout = {
  readonly git: Git;
  readonly folder: RunFolder;
  readonly source: Pick<CheckoutSource, "sha" | "ref" | "event" | "baseRef">;
  /** Whether writers made the commit. */
  readonly isTrusted: boolean;
  /** What a pull request is compared with, where that is known. Default: the first parent of the provider's merge commit. */
  readonly base?: PullRequestBase | null;
  /** Files that are too large to be searched. */
  readonly unsearched: readonly string[];
  /** The paths whose changes are held back. Default: the protected paths of the contract. */
  readonly isProtected?: PathGuard;
  /** What was in the tree before the run. Default: what was checked out. */
  readonly since?: TreeState;
  /** Ends every process that a call started. */
  readonly signal: AbortSignal;
};

/** The checkout over an already checked-out folder. It owns the folder and removes it on `close()`. */
export function gitCheckout(open: OpenCheckout): Checkout {
  const { git, folder, source, unsearched, signal, isProtected = protectedPathGuard() } = open;
  const closed = new AbortController();
  const gitUntil = (end: AbortSignal) => {
    const either = AbortSignal.any([end, closed.signal]);
    return (call: Omit<GitCall, "signal">): Promise<GitOutput> => git({ ...call, signal: either });
  };
  const runGit = gitUntil(signal);
  const since = open.since === undefined ? {} : { since: open.since };
  let hidden: Hidden | null = null;
  const working = () => ({
    ...{ runGit, folder, headSha: source.sha, isProtected, ...since },
    ...(hidden === null ? {} : { placed: hidden.placed }),
  });

  return {
    root: folder.tree,
    gitFolder: folder.git,
    headSha: source.sha,

    async recentCommits(limit) {
      const args = ["log", "-z", "--encoding=UTF-8", `--max-count=${limit}`, `--format=${COMMIT_FORMAT}`];
      const log = await runGit({ args, maxOutputBytes: MAX_HISTORY_BYTES, onOverflow: "keep" });
      return parseCommits(log.stdout);
    },

    async instructions() {
      const commit = await trustedCommit(open, runGit);
      if (commit === null) return null;
      const entry = await runGit({ args: ["ls-tree", "-z", "--full-tree", commit, "--", INSTRUCTIONS_FILE] });
      // A symbolic link is not followed.
      if (!entry.stdout.toString("latin1").startsWith(REGULAR_FILE)) return null;
      const text = await runGit({
        args: ["cat-file", "blob", `${commit}:${INSTRUCTIONS_FILE}`],
        maxOutputBytes: MAX_INSTRUCTIONS_BYTES,
        onOverflow: "keep",
      });
      return text.stdout.toString("utf8");
    },

    async hideAgentFiles() {
      const base = await trustedCommit(open, runGit);
      if (base === source.sha) return [];
      hidden = await hideAgentFiles({ runGit, root: folder.tree, base });
      return hidden.files;
    },

    async changesSinceBase() {
      const isMerge = isPullRequest(source);
      const baseSha = open.base?.mergeBase ?? (isMerge ? await mergeBase(runGit) : null);
      if (baseSha === null) return null;
      const options = ["-r", "-z", "-M", "--raw", "--numstat", "--no-ext-diff", "--no-textconv"];
      const diff = await runGit({ args: ["diff-tree", ...options, baseSha, source.sha] });
      return { baseSha, files: parseChanges(diff.stdout) };
    },

    workingChanges: (end = signal) => collectChanges({ ...working(), runGit: gitUntil(end) }),
    restore: (patch) => restoreChanges(working(), patch),

    findText: (query) => explained(() => findTextInTree({ runGit, root: folder.tree, unsearched }, query)),
    files: () => explained(() => listTree(runGit)),

    async close() {
      closed.abort(new Error("The checkout is closed."));
      await removeFolder(folder.path);
    },
  };
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
  { base, source, isTrusted }: OpenCheckout,
  runGit: (call: Omit<GitCall, "signal">) => Promise<GitOutput>,
): Promise<string | null> {
  if (base !== undefined && base !== null) return base.tip;
  if (isPullRequest(source)) return await mergeBase(runGit);
  return isTrusted ? source.sha : null;
}

async function mergeBase(
  runGit: (call: Omit<GitCall, "signal">) => Promise<GitOutput>,
): Promise<string | null> {
  const line = await runGit({ args: ["rev-list", "--parents", "--max-count=1", "HEAD"] });
  const [, base, head, ...more] = line.stdout.toString("latin1").trim().split(" ");
  return base !== undefined && head !== undefined && more.length === 0 ? base : null;
}

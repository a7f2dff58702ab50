// A checked-out commit and the questions that git answers about it. Every question is one process that only reads.

import type { TextQuery, Workspace, WorkspaceSource } from "../core/ports/workspace.ts";
import {
  COMMIT_FORMAT,
  parseChanges,
  parseCommits,
  parseMatches,
  parseTrackedFiles,
  splitRecords,
} from "./git-output.ts";
import type { Git, GitCall, GitOutput } from "./git-process.ts";
import { type RunFolder, removeFolder } from "./run-folder.ts";

const MAX_HISTORY_BYTES = 16 * 1024 * 1024;
const MAX_MATCHES_BYTES = 2 * 1024 * 1024;
/** A command line has an end. */
const MAX_EXCLUSIONS = 500;
const MAX_MATCH_TEXT_BYTES = 1024;
const mergeRefPattern = /^refs\/(pull|merge-requests)\/\d+\/merge$/;

export type OpenWorkspace = {
  readonly git: Git;
  readonly folder: RunFolder;
  readonly source: WorkspaceSource;
  /** Files that are too large to be searched. */
  readonly unsearched: readonly string[];
  /** Ends whatever a question started. */
  readonly signal: AbortSignal;
};

/** The workspace over an already checked-out folder. It owns the folder and removes it on `close()`. */
export function gitWorkspace({ git, folder, source, unsearched, signal }: OpenWorkspace): Workspace {
  const closed = new AbortController();
  const either = AbortSignal.any([signal, closed.signal]);
  const ask = (call: Omit<GitCall, "signal">): Promise<GitOutput> => git({ ...call, signal: either });
  let paths: Promise<readonly string[]> | undefined;

  return {
    root: folder.tree,
    headSha: source.sha,

    async recentCommits(limit) {
      const args = ["log", "-z", "--encoding=UTF-8", `--max-count=${limit}`, `--format=${COMMIT_FORMAT}`];
      const log = await ask({ args, maxOutputBytes: MAX_HISTORY_BYTES, onOverflow: "keep" });
      return parseCommits(log.stdout);
    },

    async mostChangedFiles(limit) {
      const args = [
        "log",
        "-z",
        "--format=",
        "--name-only",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
      ];
      const log = await ask({ args, maxOutputBytes: MAX_HISTORY_BYTES, onOverflow: "keep" });
      return countPaths(splitRecords(log.stdout)).slice(0, limit);
    },

    async changesSinceBase() {
      const baseSha = isPullRequest(source) ? await mergeBase(ask) : null;
      if (baseSha === null) return null;
      const options = ["-r", "-z", "-M", "--raw", "--numstat", "--no-ext-diff", "--no-textconv"];
      const diff = await ask({ args: ["diff-tree", ...options, baseSha, source.sha] });
      return { baseSha, files: parseChanges(diff.stdout) };
    },

    async findText(query) {
      const args = ["grep", "-I", "-n", "-z", "-F", "--no-color", "--no-textconv", "--no-recurse-submodules"];
      const found = await ask({
        args: [...args, ...grepOptions(query, unsearched)],
        maxOutputBytes: MAX_MATCHES_BYTES,
        onOverflow: "keep",
        allowedExitCodes: [0, 1],
      });
      return { matches: parseMatches(found.stdout, MAX_MATCH_TEXT_BYTES), complete: found.complete };
    },

    trackedFiles() {
      paths ??= ask({ args: ["ls-files", "-z", "--stage"] }).then((list) => parseTrackedFiles(list.stdout));
      return paths;
    },

    async close() {
      closed.abort(new Error("The workspace is closed."));
      await removeFolder(folder.path);
    },
  };
}

/** Only where the provider made the commit: a merge whose first parent is the base. A plain merge says nothing of a base. */
function isPullRequest(source: WorkspaceSource): boolean {
  return (source.event === "pull_request" || source.baseRef !== null) && mergeRefPattern.test(source.ref);
}

async function mergeBase(ask: (call: Omit<GitCall, "signal">) => Promise<GitOutput>): Promise<string | null> {
  const line = await ask({ args: ["rev-list", "--parents", "--max-count=1", "HEAD"] });
  const [, base, head, ...more] = line.stdout.toString("latin1").trim().split(" ");
  return base !== undefined && head !== undefined && more.length === 0 ? base : null;
}

function grepOptions(query: TextQuery, unsearched: readonly string[]): string[] {
  const options = query.texts.flatMap((text) => ["-e", text]);
  if (query.wholeWord) options.push("--word-regexp");
  if (query.ignoreCase) options.push("--ignore-case");
  const searched = query.folder === "" ? [] : [`:(literal,top)${query.folder}`];
  const skipped = unsearched.slice(0, MAX_EXCLUSIONS).map((path) => `:(exclude,literal,top)${path}`);
  return [...options, "--", ...searched, ...skipped];
}

function countPaths(touched: readonly string[]): { path: string; commits: number }[] {
  const counts = new Map<string, number>();
  for (const path of touched) if (path !== "") counts.set(path, (counts.get(path) ?? 0) + 1);
  const ranked = [...counts].map(([path, commits]) => ({ path, commits }));
  return ranked.sort((a, b) => b.commits - a.commits || (a.path < b.path ? -1 : 1));
}

// History as git tells it: commits, and the working tree against its commit, as text for people. Nothing of the tree is
// executed, and no index is written that another call reads.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parentsIn } from "../../base/git/found-checkout.ts";
import { GitError } from "../../base/git/git.ts";
import {
  type BlamedLine,
  CheckoutError,
  type CheckoutHistory,
  type CommitText,
  type GitText,
} from "../core/checkouts/checkout.ts";
import { COMMIT_FORMAT, parseCommits } from "./git-output.ts";
import { copyIndex, stageChanges, type WorkingTree } from "./working-changes.ts";

const MAX_DIFF_BYTES = 8_000_000;
const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_FILE_BYTES = 5_000_000;
const MAX_BLAME_BYTES = 8_000_000;
/** Modes 100644 and 100755. */
const REGULAR_FILE = "100";
/** No option, no range, and no search through messages. */
const namePattern = /^[A-Za-z0-9_][A-Za-z0-9_./~^@{}+-]{0,199}$/;

/** For people: renames are found; no program of a configuration makes the text. */
export const PATCH = [
  "-p",
  "-M",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];
/** Paths as they are, not as bytes in octal. */
export const PLAIN_PATHS = ["core.quotePath=false"];

export function historyOf(working: () => WorkingTree): CheckoutHistory {
  const runGit: WorkingTree["runGit"] = (call) => working().runGit(call);
  let indexes = 0;
  return {
    async resolve(name) {
      if (!namePattern.test(name) || name.includes("..")) return null;
      const args = ["rev-parse", "--verify", "--quiet", `${name}^{commit}`];
      const { stdout, exitCode } = await runGit({ args, allowedExitCodes: [0, 1, 128] });
      return exitCode === 0 ? stdout.toString("latin1").trim() : null;
    },

    async commit(sha) {
      const format = `--format=${COMMIT_FORMAT}%x00%B`;
      const args = ["log", "-z", "--encoding=UTF-8", "--max-count=1", format, sha, "--"];
      const bounds = { maxOutputBytes: MAX_MESSAGE_BYTES, onOverflow: "keep" } as const;
      const log = await runGit({ args, ...bounds });
      // Read in the commit itself: a shallow history shows no parents.
      const raw = await runGit({ args: ["cat-file", "commit", sha], ...bounds });
      return commitOf(log.stdout, { sha, parents: parentsIn(raw.stdout.toString("latin1")) });
    },

    async diff({ from, to }, paths) {
      const sides = from === null ? ["--root", "--no-commit-id", to] : [from, to];
      return await patchOf(runGit, { args: ["diff-tree", "-r", ...PATCH, ...sides], paths });
    },

    async workingDiff(paths) {
      const tree = working();
      indexes += 1;
      const index = join(tree.folder.path, `diff-${indexes}.index`);
      const withIndex: WorkingTree["runGit"] = (call) =>
        tree.runGit({ ...call, env: { ...call.env, GIT_INDEX_FILE: index } });
      try {
        // What the index knows of files by their times: they are not read again.
        await copyIndex(join(tree.folder.git, "index"), index);
        await stageChanges({ ...tree, runGit: withIndex });
        return await patchOf(withIndex, { args: ["diff-index", "--cached", ...PATCH, tree.headSha], paths });
      } finally {
        await rm(index, { force: true });
        await rm(`${index}.lock`, { force: true });
      }
    },

    async fileAt(sha, path) {
      const env = { GIT_LITERAL_PATHSPECS: "1" };
      const entry = await runGit({ args: ["ls-tree", "-z", "-l", "--full-tree", sha, "--", path], env });
      const [mode = "", , name = "", size = ""] = entry.stdout.toString("latin1").split(/[ \t]+/, 4);
      if (!mode.startsWith(REGULAR_FILE) || !(Number(size) <= MAX_FILE_BYTES)) return null;
      return (await runGit({ args: ["cat-file", "blob", name], maxOutputBytes: MAX_FILE_BYTES })).stdout;
    },

    async blame(path, { first, last }) {
      const args = ["blame", "--porcelain", "--no-textconv", "-L", `${first},${last}`, "--", path];
      const blamed = await runGit({ args, maxOutputBytes: MAX_BLAME_BYTES }).catch((cause: unknown) => {
        throw blameError(cause);
      });
      return parseBlame(blamed.stdout.toString("utf8"));
    },
  };
}

async function patchOf(
  runGit: WorkingTree["runGit"],
  { args, paths }: { readonly args: readonly string[]; readonly paths: readonly string[] },
): Promise<GitText> {
  const { stdout, complete } = await runGit({
    args: [...args, "--", ...paths],
    config: PLAIN_PATHS,
    env: { GIT_LITERAL_PATHSPECS: "1" },
    maxOutputBytes: MAX_DIFF_BYTES,
    onOverflow: "keep",
  });
  return { text: stdout.toString("utf8"), complete };
}

function commitOf(
  output: Buffer,
  { sha, parents }: { readonly sha: string; readonly parents: readonly string[] },
): CommitText {
  const [known] = parseCommits(output);
  const [message = ""] = output.toString("utf8").split("\0").slice(4);
  return {
    ...(known ?? { sha, author: "", at: 0, subject: "" }),
    message: message.trimEnd(),
    firstParent: parents[0] ?? null,
    isMerge: parents.length > 1,
  };
}

const UNCOMMITTED = /^0+$/;

/** Of `git blame --porcelain`: what is known of a commit is told once, before its first line. */
export function parseBlame(output: string): BlamedLine[] {
  const commits = new Map<string, { author: string; at: number; isOldest: boolean }>();
  const lines: BlamedLine[] = [];
  let sha = "";
  let line = 0;
  for (const record of output.split("\n")) {
    if (record.startsWith("\t")) {
      const about = commits.get(sha) ?? { author: "", at: 0, isOldest: false };
      const { author, at, isOldest } = about;
      const commit = UNCOMMITTED.test(sha) ? null : { sha, author, at };
      lines.push({ line, text: record.slice(1), commit, isOldest });
      continue;
    }
    const [key = "", value = "", third = ""] = record.split(" ", 3);
    if (/^[0-9a-f]{40,64}$/.test(key)) {
      sha = key;
      line = Number(third) || 0;
      if (!commits.has(sha)) commits.set(sha, { author: "", at: 0, isOldest: false });
      continue;
    }
    const about = commits.get(sha);
    if (about === undefined) continue;
    if (key === "author") about.author = record.slice("author ".length);
    else if (key === "committer-time") about.at = (Number(value) || 0) * 1000;
    else if (key === "boundary") about.isOldest = true;
  }
  return lines;
}

function blameError(cause: unknown): unknown {
  if (!(cause instanceof GitError) || cause.code !== "git_failed") return cause;
  const has = /has only (\d{1,9}) lines?/.exec(cause.stderr)?.[1];
  const why =
    has === undefined
      ? "Git does not know the file: it is new, ignored, or no file."
      : `The file has only ${has} lines.`;
  return new CheckoutError(`The lines cannot be blamed. ${why}`, { cause });
}

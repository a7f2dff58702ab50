// Changes of a run, as a patch against the commit that was checked out. Git reads the files and executes nothing: no filter, no
// hook, no configuration of a repository inside the tree.

import { copyFile, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type GitCall, GitError, type GitOutput } from "../../base/git/git.ts";
import { overridingAttributes } from "../../base/git/hardening.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import type { PathGuard } from "../../contract/paths/path-rules.ts";
import type { HeldBackFile, RestoreRefusal, WorkingChanges } from "../core/checkouts/checkout.ts";
import { byteRecords, bytesOf, type Found, findPaths, shownPath } from "./byte-paths.ts";
import { parseChanges } from "./git-output.ts";
import type { RunFolder } from "./run-folder.ts";
import { SEARCH_ADVICE } from "./tree-files.ts";

const MAX_FILE_BYTES = 5_000_000;
const MAX_PATCH_BYTES = 16_000_000;
/** Of the differences that git prints before a patch: some hundred thousand files. A longer list is asked for by itself. */
const MAX_SUMMARY_BYTES = 16_000_000;
/** Every file is read and hashed. */
export const READ_ALL = { timeoutFactor: 5 };
export const SUBMODULE_MODE = "160000";
/** The tag of a file that is not in the index. */
const UNTRACKED = "?";
/** Of a patch that is too large, these go first. */
const LARGE_FILE_BYTES = 100_000;

const DIFF = ["diff-index", "--cached", "--no-renames", "--no-ext-diff", "--no-textconv", "--full-index"];
/** Every file as binary, in base 85: for patches that are not UTF-8. */
const allBinary = "* -diff -text !eol !filter !ident !working-tree-encoding !merge !export-subst\n";

export type WorkingTree = {
  readonly runGit: (call: Omit<GitCall, "signal">) => Promise<GitOutput>;
  readonly folder: RunFolder;
  readonly headSha: string;
  readonly isProtected: PathGuard;
  /** A change is what differs from this. Default: the commit. */
  readonly since?: TreeState;
  /** Files in the place of those that are hidden from an agent, by git's names; null for none. */
  readonly placed?: ReadonlyMap<string, string | null>;
};

/** The state of a tree at one moment, by `recordState`. */
export type TreeState = {
  /** Git's name of it. */
  readonly tree: string;
  /** Parts that git's name does not hold: repositories within, and the bytes of files that are too large. */
  readonly nested: ReadonlySet<string>;
  readonly largeBytes: ReadonlyMap<string, number>;
};

/** A changed path as it was in the commit, as git names it; a mode of zeros where it was not. */
type Change = { readonly path: string; readonly mode: string; readonly name: string };

/** Records what is in the tree now. The index is the commit's afterwards, whose tree is `headTree`. */
export async function recordState(tree: WorkingTree, headTree: string): Promise<TreeState> {
  const { runGit, headSha } = tree;
  const { nested, large } = await takeIn(tree);
  const written = (await runGit({ args: ["write-tree", "--missing-ok"] })).stdout.toString("latin1").trim();
  // Files that are as in the commit are known by their times from here on, and need not be read again.
  if (written !== headTree || large.length > 0) {
    await runGit({ args: ["read-tree", headSha] });
    await runGit({ args: ["update-index", "-q", "--refresh"], allowedExitCodes: [0, 1], ...READ_ALL });
  }
  return {
    tree: written,
    nested: new Set(nested),
    largeBytes: new Map(large.map(({ path, bytes }) => [path, bytes ?? 0])),
  };
}

/**
 * Compares the tree with its commit. The index holds the changes afterwards. A failure of git or of the disk is returned
 * as `unreadable`.
 */
export async function collectChanges(tree: WorkingTree): Promise<WorkingChanges> {
  try {
    return await compare(tree);
  } catch (cause) {
    const unreadable = whyUnreadable(cause);
    if (unreadable === null) throw cause;
    return { baseSha: tree.headSha, files: [], patch: "", heldBack: [], unreadable };
  }
}

/** Has the index hold what the tree holds, other than files that are too large, and repositories within. */
export async function stageChanges(tree: WorkingTree): Promise<void> {
  await takeIn(tree);
  if (tree.since !== undefined) await keepChangesSince(tree, tree.since);
  await restoreHidden(tree);
}

/** Null for what is no failure to read. */
export function whyUnreadable(cause: unknown): string | null {
  if (cause instanceof GitError) {
    return cause.code === "git_failed" ? cause.message : `${cause.message} ${SEARCH_ADVICE}`;
  }
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? `The disk refused (${code}).` : null;
}

async function compare(tree: WorkingTree): Promise<WorkingChanges> {
  const { headSha: baseSha, isProtected, since } = tree;
  const { tracked, nested, large } = await takeIn(tree);
  const heldBack: HeldBackFile[] = nested
    .filter((path) => since?.nested.has(path) !== true)
    .map((path) => ({ path: shownPath(path), reason: "protected" }));
  if (since !== undefined) await keepChangesSince(tree, since);
  const unchanged = large.length === 0 ? null : await unchangedPaths(tree, tracked);
  for (const { path, bytes } of large) {
    if (since?.largeBytes.get(path) === bytes || unchanged?.has(path) === true) continue;
    heldBack.push({ path: shownPath(path), reason: "too_large" });
  }
  heldBack.push(...(await restoreHidden(tree)));
  const { seen, whole } = await differencesAndPatch(tree);
  const changed = changesIn(seen);
  if (changed.length === 0) return { baseSha, files: [], patch: "", heldBack };
  const guarded = changed.filter(({ path }) => isProtected(shownPath(path)));
  if (guarded.length > 0) {
    await forget(tree, guarded);
    // A file in the place of a folder that is protected goes with it.
    const left = new Set((await changesOf(tree)).map(({ path }) => path));
    const gone = changed.filter(({ path }) => !left.has(path));
    heldBack.push(...gone.map(({ path }) => ({ path: shownPath(path), reason: "protected" as const })));
  }
  const left = guarded.length === 0 ? whole : await patchOf(tree);
  const { patch, isWhole } = await writePatch(tree, left, heldBack);
  const files = parseChanges(guarded.length === 0 && isWhole ? seen : await differences(tree));
  return { baseSha, files, patch, heldBack };
}

/** Applies a patch that `collectChanges` made of an earlier state: with its index if it can, else by three-way merge. */
export async function restoreChanges(
  tree: WorkingTree,
  patch: string,
): Promise<Result<null, RestoreRefusal>> {
  if (patch === "") return ok(null);
  const { runGit, folder, headSha } = tree;
  const file = join(folder.path, "restored.patch");
  await writeFile(file, patch);
  const apply = async (how: readonly string[]) =>
    await runGit({ args: ["apply", "--whitespace=nowarn", ...how, "--", file] });
  try {
    await apply(["--index", "--binary"]).catch(async () => {
      // The changes may have been committed meanwhile. A three-way merge accepts that, except for deleted files.
      const isThere = await apply(["--reverse", "--check", "--binary"]).then(
        () => true,
        () => false,
      );
      if (!isThere) await apply(["--3way", "--binary"]);
    });
    return ok(null);
  } catch (cause) {
    if (!(cause instanceof GitError)) throw cause;
    const failed = cause.stderr.matchAll(/^error: patch failed: (.+):\d+$/gm);
    // A three-way merge with conflicts prints no error: it leaves several versions in the index.
    const unmerged = byteRecords((await runGit({ args: ["ls-files", "-z", "--unmerged"] })).stdout);
    const conflicting = unmerged.map((entry) => shownPath(entry.slice(entry.indexOf("\t") + 1)));
    const paths = [...new Set([...[...failed].map(([, path = ""]) => path), ...conflicting])];
    await runGit({ args: ["reset", "--hard", "--quiet", headSha] });
    await runGit({ args: ["clean", "-ffdq"] });
    return refused({ reason: paths.length > 0 ? "patch_conflicts" : "patch_malformed", paths });
  }
}

/** Copies an index with its time, which tells git which files it has to read. Nothing where there is none. */
export async function copyIndex(from: string, to: string): Promise<void> {
  const about = await stat(from).catch(() => null);
  if (about === null) return;
  await copyFile(from, to);
  // Not later than it was: a file that was written at the same time would count as unchanged.
  await utimes(to, about.atime, new Date(Math.floor(about.mtimeMs)));
}

/** Adds what is in the tree to the index. What is returned is not in it: large files and nested repositories. */
async function takeIn(tree: WorkingTree): Promise<{ tracked: string[]; nested: string[]; large: Found[] }> {
  // What the index knows of files that did not change stays: they are not read again.
  await tree.runGit({ args: ["read-tree", "--reset", tree.headSha] });
  const { tracked, others } = await listPaths(tree);
  // A folder is a repository of its own, which git would have to read.
  const nested = others.filter((path) => path.endsWith("/"));
  const present = await findPaths(tree.folder.tree, [
    ...tracked,
    ...others.filter((path) => !path.endsWith("/")),
  ]);
  const isLarge = ({ bytes }: Found) => bytes !== null && bytes > MAX_FILE_BYTES;
  await dropGone(tree, present);
  await record(
    tree,
    present.filter((found) => found.bytes !== null && !isLarge(found)),
  );
  return { tracked, nested, large: present.filter(isLarge) };
}

/** Leaves in the index the commit, and what has changed since. */
async function keepChangesSince({ runGit, headSha }: WorkingTree, since: TreeState): Promise<void> {
  const args = [...DIFF, "-z", "--raw", since.tree];
  const records = byteRecords((await runGit({ args })).stdout);
  const entries: string[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [, mode = "", , name = ""] = records[at]?.split(" ") ?? [];
    const isGone = /^0+$/.test(mode);
    // What is gone first: a file may have taken its folder's place.
    const entry = `${isGone ? 0 : mode} ${name}\t${records[at + 1]}\0`;
    if (isGone) entries.unshift(entry);
    else entries.push(entry);
  }
  await runGit({ args: ["read-tree", headSha] });
  if (entries.length === 0) return;
  await runGit({
    args: ["update-index", "-z", "--replace", "--index-info"],
    input: bytesOf(entries.join("")),
  });
}

async function listPaths({ runGit }: WorkingTree): Promise<{ tracked: string[]; others: string[] }> {
  const wanted = ["--cached", "--others", "--exclude-standard"];
  const listing = await runGit({ args: ["ls-files", "-z", "-t", "--stage", ...wanted] });
  const tracked: string[] = [];
  const others: string[] = [];
  for (const entry of byteRecords(listing.stdout)) {
    // A tag and a space; of what is in the index also mode, name and stage.
    const rest = entry.slice(2);
    if (entry.startsWith(UNTRACKED)) others.push(rest);
    // Of a submodule there is no file to read.
    else if (!rest.startsWith(SUBMODULE_MODE)) tracked.push(rest.slice(rest.indexOf("\t") + 1));
  }
  return { tracked, others };
}

/** Adds the files to the index as they are now. */
export async function record({ runGit }: WorkingTree, files: readonly Found[]): Promise<void> {
  if (files.length === 0) return;
  const args = ["update-index", "-z", "--add", "--replace", "--stdin"];
  await runGit({ args, input: bytesOf(files.map(({ path }) => `${path}\0`).join("")), ...READ_ALL });
}

/** Removes from the index what is no file any more: deleted, a folder now, or behind a link. */
export async function dropGone({ runGit }: WorkingTree, files: readonly Found[]): Promise<void> {
  const gone = files.filter(({ bytes }) => bytes === null);
  if (gone.length === 0) return;
  const args = ["update-index", "-z", "--force-remove", "--stdin"];
  await runGit({ args, input: bytesOf(gone.map(({ path }) => `${path}\0`).join("")) });
}

/** Resets these files in the index to the commit. */
export async function forget({ runGit, headSha }: WorkingTree, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  // What is there now first: it may have taken a folder's place.
  const gone = changes.map(({ path }) => `0 ${"0".repeat(headSha.length)}\t${path}\0`);
  const known = changes.filter(({ mode }) => !/^0+$/.test(mode));
  const back = known.map(({ path, mode, name }) => `${mode} ${name}\t${path}\0`);
  const input = bytesOf([...gone, ...back].join(""));
  await runGit({ args: ["update-index", "-z", "--index-info"], input });
}

/** Resets hidden files in the index to the commit. Returns those that are not as they were placed. */
async function restoreHidden(tree: WorkingTree): Promise<readonly HeldBackFile[]> {
  const { runGit, placed } = tree;
  if (placed === undefined) return [];
  const staged = await runGit({ args: ["ls-files", "-z", "--stage"] });
  const names = new Map(
    byteRecords(staged.stdout).map((entry) => {
      const tab = entry.indexOf("\t");
      return [entry.slice(tab + 1), entry.slice(0, tab).split(" ")[1] ?? ""];
    }),
  );
  // Where the agent put a file in the place of a folder, what was hidden in it is gone.
  const isGone = (path: string): boolean => {
    const folder = dirname(path);
    return folder !== "." && (names.has(folder) || isGone(folder));
  };
  const hidden = (await changesOf(tree)).filter(({ path }) => placed.has(path) && !isGone(path));
  await forget(tree, hidden);
  for (const [path, name] of await ignoredAmong(tree, { placed, names })) names.set(path, name);
  return [...placed]
    .filter(([path, name]) => (names.get(path) ?? null) !== name)
    .map(([path]) => ({ path: shownPath(path), reason: "protected" }));
}

/** Files that were placed where git ignores them are not in the index: their names as they are now. */
async function ignoredAmong(
  { runGit, folder }: WorkingTree,
  { placed, names }: Pick<Required<WorkingTree>, "placed"> & { readonly names: ReadonlyMap<string, string> },
): Promise<readonly (readonly [string, string])[]> {
  const wanted = [...placed].flatMap(([path, name]) => (name === null || names.has(path) ? [] : [path]));
  const there = (await findPaths(folder.tree, wanted)).filter(({ bytes }) => bytes !== null);
  return await Promise.all(
    there.map(async ({ path }) => {
      const content = await readFile(Buffer.concat([Buffer.from(`${folder.tree}/`), bytesOf(path)]));
      const hashed = await runGit({ args: ["hash-object", "--no-filters", "--stdin"], input: content });
      return [path, hashed.stdout.toString("latin1").trim()] as const;
    }),
  );
}

/** Paths in which the index differs from the commit. */
export async function changesOf({ runGit, headSha }: WorkingTree): Promise<Change[]> {
  return changesIn((await runGit({ args: [...DIFF, "-z", "--raw", headSha] })).stdout);
}

/** The same as git prints it, and after it how many lines of each file were added and deleted. */
async function differences({ runGit, headSha }: WorkingTree): Promise<Buffer> {
  return (await runGit({ args: [...DIFF, "-z", "--raw", "--numstat", headSha] })).stdout;
}

/** The same, and the patch: null where it is too large. */
async function differencesAndPatch(
  tree: WorkingTree,
): Promise<{ readonly seen: Buffer; readonly whole: Buffer | null }> {
  const args = [...DIFF, "-z", "--raw", "--numstat", "--patch", "--binary", tree.headSha];
  const { stdout, complete } = await tree.runGit({
    args,
    maxOutputBytes: MAX_SUMMARY_BYTES + MAX_PATCH_BYTES,
    onOverflow: "keep",
  });
  // The one empty field parts them: neither a path nor a count is empty.
  const end = stdout.indexOf("\0\0");
  if (end < 0 && complete) return { seen: stdout, whole: Buffer.alloc(0) };
  if (end < 0) return { seen: await differences(tree), whole: null };
  const patch = stdout.subarray(end + 2);
  const isWhole = complete && patch.length <= MAX_PATCH_BYTES;
  return { seen: stdout.subarray(0, end + 1), whole: isWhole ? patch : null };
}

/** Of git's raw differences with -z. */
export function changesIn(output: Buffer): Change[] {
  const records = byteRecords(output);
  const changes: Change[] = [];
  for (let at = 0; records[at]?.startsWith(":") === true; at += 2) {
    const [mode = "", , name = ""] = records[at]?.slice(1).split(" ") ?? [];
    changes.push({ path: records[at + 1] ?? "", mode, name });
  }
  return changes;
}

/** Those of these paths whose files are as in the commit, judged by their times. */
async function unchangedPaths({ runGit, headSha }: WorkingTree, tracked: readonly string[]) {
  const args = ["diff-index", "--name-only", "-z", "--ignore-submodules", headSha];
  const unchanged = new Set(tracked);
  for (const path of byteRecords((await runGit({ args })).stdout)) unchanged.delete(path);
  return unchanged;
}

/**
 * The patch of what the index holds, and whether it is of all that. `whole` is that patch, null where it is too large: the files
 * that make it so are held back.
 */
async function writePatch(
  tree: WorkingTree,
  whole: Buffer | null,
  heldBack: HeldBackFile[],
): Promise<{ readonly patch: string; readonly isWhole: boolean }> {
  const text = await textOf(tree, whole);
  if (text !== null) return { patch: text, isWhole: true };
  const changes = await changesOf(tree);
  const found = await findPaths(
    tree.folder.tree,
    changes.map(({ path }) => path),
  );
  const large = changes.filter((_change, at) => (found[at]?.bytes ?? 0) > LARGE_FILE_BYTES);
  const small = changes.filter((change) => !large.includes(change));
  for (const part of [large, small]) {
    heldBack.push(...part.map(({ path }) => ({ path: shownPath(path), reason: "too_large" as const })));
    await forget(tree, part);
    const rest = await textOf(tree, await patchOf(tree));
    if (rest !== null) return { patch: rest, isWhole: false };
  }
  return { patch: "", isWhole: false };
}

/** Null when it is too large. */
async function patchOf({ runGit, headSha }: WorkingTree): Promise<Buffer | null> {
  const args = [...DIFF, "--patch", "--binary", headSha];
  const { stdout, complete } = await runGit({ args, maxOutputBytes: MAX_PATCH_BYTES, onOverflow: "keep" });
  return complete ? stdout : null;
}

/** A patch of what the index holds as text, where it is none with every file as binary. Null when it is too large. */
async function textOf(tree: WorkingTree, patch: Buffer | null): Promise<string | null> {
  if (patch === null || isText(patch)) return patch?.toString("utf8") ?? null;
  const attributes = join(tree.folder.git, "info", "attributes");
  await writeFile(attributes, allBinary);
  const binary = await patchOf(tree).finally(() => writeFile(attributes, overridingAttributes));
  return binary?.toString("utf8") ?? null;
}

function isText(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

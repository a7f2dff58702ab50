// What a run changed, as a patch against the commit that was checked out. Git reads the files that are named to it and
// executes nothing: no filter, no hook, no configuration of a repository that lies in the tree.

import { lstat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ok, type Result, refused } from "../../base/result.ts";
import type { HeldBackFile, RestoreRefusal, WorkingChanges } from "../core/ports/workspace.ts";
import { parseChanges, parseTrackedFiles, splitRecords } from "./git-output.ts";
import { type GitCall, GitError, type GitOutput } from "./git-process.ts";
import { overridingAttributes } from "./git-settings.ts";
import type { PathGuard } from "./protected-paths.ts";
import type { RunFolder } from "./run-folder.ts";

const MAX_FILE_BYTES = 5_000_000;
const MAX_PATCH_BYTES = 16_000_000;
/** Of a patch that is too large, these go first. */
const LARGE_FILE_BYTES = 100_000;

const DIFF = ["diff-index", "--cached", "--no-renames", "--no-ext-diff", "--no-textconv", "--full-index"];
/** Every file as it is, byte by byte in base 85: for patches that text could not carry. */
const allBinary = "* -diff -text !eol !filter !ident !working-tree-encoding !merge !export-subst\n";

export type WorkingTree = {
  readonly ask: (call: Omit<GitCall, "signal">) => Promise<GitOutput>;
  readonly folder: RunFolder;
  readonly headSha: string;
  readonly isProtected: PathGuard;
  /** What counts as a change is what differs from this; the commit itself unless told. */
  readonly since?: TreeState;
};

/** What lay in a tree at one moment, by `recordState`. */
export type TreeState = {
  /** Git's name of it. */
  readonly tree: string;
  /** What git's name does not hold: repositories within, and the bytes of files that are too large. */
  readonly nested: ReadonlySet<string>;
  readonly largeBytes: ReadonlyMap<string, number>;
};

/** What lies at a path. Bytes are a regular file's; null where there is neither a file nor a link. */
type Found = { readonly path: string; readonly bytes: number | null };

/** Remembers what lies in the tree now. The index is the commit's afterwards. */
export async function recordState(tree: WorkingTree): Promise<TreeState> {
  const { ask, headSha } = tree;
  const { nested, large } = await takeIn(tree);
  const written = await ask({ args: ["write-tree", "--missing-ok"] });
  await ask({ args: ["read-tree", headSha] });
  // Files that are as in the commit are known by their times from here on, and need not be read again.
  await ask({ args: ["update-index", "-q", "--refresh"], allowedExitCodes: [0, 1] });
  return {
    tree: written.stdout.toString("latin1").trim(),
    nested: new Set(nested),
    largeBytes: new Map(large.map(({ path, bytes }) => [path, bytes ?? 0])),
  };
}

/** Compares the tree with its commit. The index holds the changes afterwards. */
export async function collectChanges(tree: WorkingTree): Promise<WorkingChanges> {
  const { ask, headSha: baseSha, isProtected, since } = tree;
  const { tracked, nested, large } = await takeIn(tree);
  const heldBack: HeldBackFile[] = nested
    .filter((path) => since?.nested.has(path) !== true)
    .map((path) => ({ path, reason: "protected" }));
  if (since !== undefined) await keepChangesSince(tree, since);
  const known = new Set(tracked);
  for (const { path, bytes } of large) {
    if (since?.largeBytes.get(path) === bytes) continue;
    const isNew = !known.has(path);
    if (isNew || (await isChanged(tree, path))) heldBack.push({ path, reason: "too_large" });
  }
  for (const path of await changedPaths(tree)) {
    if (!isProtected(path)) continue;
    heldBack.push({ path, reason: "protected" });
    await forget(tree, [path]);
  }
  const patch = await writePatch(tree, heldBack);
  const files = parseChanges((await ask({ args: [...DIFF, "-z", "--raw", "--numstat", baseSha] })).stdout);
  return { baseSha, files, patch, heldBack };
}

/** Applies a patch that `collectChanges` made of an earlier state: with its index if it can, else by three-way merge. */
export async function restoreChanges(
  tree: WorkingTree,
  patch: string,
): Promise<Result<null, RestoreRefusal>> {
  if (patch === "") return ok(null);
  const { ask, folder, headSha } = tree;
  const file = join(folder.path, "restored.patch");
  await writeFile(file, patch);
  const apply = async (how: readonly string[]) =>
    await ask({ args: ["apply", "--whitespace=nowarn", ...how, "--", file] });
  try {
    await apply(["--index", "--binary"]).catch(() => apply(["--3way", "--binary"]));
    return ok(null);
  } catch (cause) {
    if (!(cause instanceof GitError)) throw cause;
    const failed = cause.stderr.matchAll(/^error: patch failed: (.+):\d+$/gm);
    const paths = [...new Set([...failed].map(([, path = ""]) => path))];
    await ask({ args: ["reset", "--hard", "--quiet", headSha] });
    await ask({ args: ["clean", "-ffdq"] });
    return refused({ reason: paths.length > 0 ? "patch_conflicts" : "patch_malformed", paths });
  }
}

/** Takes into the index what lies in the tree. What is returned is not in it: the large and the nested. */
async function takeIn(tree: WorkingTree): Promise<{ tracked: string[]; nested: string[]; large: Found[] }> {
  await tree.ask({ args: ["read-tree", tree.headSha] });
  const { tracked, others } = await listPaths(tree);
  // A folder is a repository of its own: git would have to look into it.
  const nested = others.filter((path) => path.endsWith("/"));
  const present = await look(tree, [...tracked, ...others.filter((path) => !path.endsWith("/"))]);
  const isLarge = ({ bytes }: Found) => bytes !== null && bytes > MAX_FILE_BYTES;
  await dropGone(tree, present);
  await record(
    tree,
    present.filter((found) => found.bytes !== null && !isLarge(found)),
  );
  return { tracked, nested, large: present.filter(isLarge) };
}

/** Leaves in the index the commit, and what has changed since. */
async function keepChangesSince({ ask, headSha }: WorkingTree, since: TreeState): Promise<void> {
  const args = [...DIFF, "-z", "--raw", since.tree];
  const records = splitRecords((await ask({ args })).stdout);
  const entries: string[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [, mode = "", , name = ""] = records[at]?.split(" ") ?? [];
    const isGone = /^0+$/.test(mode);
    // What is gone first: a file may have taken its folder's place.
    const entry = `${isGone ? 0 : mode} ${name}\t${records[at + 1]}\0`;
    if (isGone) entries.unshift(entry);
    else entries.push(entry);
  }
  await ask({ args: ["read-tree", headSha] });
  await ask({ args: ["update-index", "-z", "--replace", "--index-info"], input: entries.join("") });
}

async function listPaths({ ask }: WorkingTree): Promise<{ tracked: string[]; others: string[] }> {
  const tracked = await ask({ args: ["ls-files", "-z", "--stage"] });
  const others = await ask({ args: ["ls-files", "-z", "--others", "--exclude-standard"] });
  return { tracked: parseTrackedFiles(tracked.stdout), others: splitRecords(others.stdout) };
}

/** Takes the files as they are now into the index. */
async function record({ ask }: WorkingTree, files: readonly Found[]): Promise<void> {
  const args = ["update-index", "-z", "--add", "--replace", "--stdin"];
  await ask({ args, input: files.map(({ path }) => `${path}\0`).join("") });
}

/** Takes out of the index what is no file any more: gone, a folder now, or behind a link. */
async function dropGone({ ask }: WorkingTree, files: readonly Found[]): Promise<void> {
  const gone = files.filter(({ bytes }) => bytes === null);
  const args = ["update-index", "-z", "--force-remove", "--stdin"];
  await ask({ args, input: gone.map(({ path }) => `${path}\0`).join("") });
}

/** Makes the index say of these files what the commit says. */
async function forget({ ask, headSha }: WorkingTree, paths: readonly string[]): Promise<void> {
  const entries = await ask({
    args: ["--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", headSha, "--", ...paths],
  });
  const known = splitRecords(entries.stdout).map((entry) => entry.replace(" blob ", " "));
  const gone = paths.map((path) => `0 ${"0".repeat(headSha.length)}\t${path}`);
  const input = [...gone, ...known].map((entry) => `${entry}\0`).join("");
  await ask({ args: ["update-index", "-z", "--index-info"], input });
}

async function changedPaths({ ask, headSha }: WorkingTree): Promise<string[]> {
  return splitRecords((await ask({ args: [...DIFF, "-z", "--name-only", headSha] })).stdout);
}

async function isChanged({ ask, headSha }: WorkingTree, path: string): Promise<boolean> {
  const listed = await ask({
    args: [
      "--literal-pathspecs",
      "diff-index",
      "--name-only",
      "-z",
      "--ignore-submodules",
      headSha,
      "--",
      path,
    ],
  });
  return listed.stdout.length > 0;
}

/** Looks at paths without following a link anywhere on the way. */
async function look({ folder }: WorkingTree, paths: readonly string[]): Promise<Found[]> {
  const folders = new Map<string, Promise<boolean>>();
  const isFolder = (path: string): Promise<boolean> => {
    if (path === ".") return Promise.resolve(true);
    let answer = folders.get(path);
    if (answer === undefined) {
      answer = isFolder(dirname(path)).then(
        (isReached) => isReached && isRealFolder(join(folder.tree, path)),
      );
      folders.set(path, answer);
    }
    return answer;
  };
  const found: Found[] = [];
  for (const path of paths) {
    const about = (await isFolder(dirname(path)))
      ? await lstat(join(folder.tree, path)).catch(() => null)
      : null;
    const isThere = about !== null && (about.isFile() || about.isSymbolicLink());
    found.push({ path, bytes: isThere ? (about.isFile() ? about.size : 0) : null });
  }
  return found;
}

async function isRealFolder(path: string): Promise<boolean> {
  return await lstat(path).then(
    (about) => about.isDirectory(),
    () => false,
  );
}

/** The patch of what the index holds; what makes it too large is held back. */
async function writePatch(tree: WorkingTree, heldBack: HeldBackFile[]): Promise<string> {
  const whole = await diff(tree);
  if (whole !== null) return whole;
  const weighed = await look(tree, await changedPaths(tree));
  const large = weighed.filter(({ bytes }) => bytes !== null && bytes > LARGE_FILE_BYTES);
  for (const part of [large, weighed]) {
    for (const { path } of part) {
      if (heldBack.some((file) => file.path === path)) continue;
      heldBack.push({ path, reason: "too_large" });
    }
    for (const { path } of part) await forget(tree, [path]);
    const rest = await diff(tree);
    if (rest !== null) return rest;
  }
  return "";
}

/** Null when it is too large. */
async function diff({ ask, folder, headSha }: WorkingTree): Promise<string | null> {
  const args = [...DIFF, "--patch", "--binary", headSha];
  const take = async () => {
    const { stdout, complete } = await ask({ args, maxOutputBytes: MAX_PATCH_BYTES, onOverflow: "keep" });
    return complete ? stdout : null;
  };
  const bytes = await take();
  if (bytes === null || isText(bytes)) return bytes?.toString("utf8") ?? null;
  const attributes = join(folder.git, "info", "attributes");
  await writeFile(attributes, allBinary);
  const binary = await take().finally(() => writeFile(attributes, overridingAttributes));
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

// Takes the configuration of agents out of a tree that writers did not make.
// Why: docs/decisions/039-agent-configuration-is-hidden.md

import { cp, lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { walkTree } from "../../base/walk-tree.ts";
import type { PathRules } from "../../contract/paths/path-rules.ts";
import type { HiddenFile } from "../core/checkouts/checkout.ts";
import { byteRecords, bytesOf, findPaths, shownPath } from "./byte-paths.ts";
import type { RunGit } from "./tree-files.ts";

const MAX_TEXT_BYTES = 256 * 1024;
const MAX_TEXTS = 200;
const REGULAR_FILE = "100644";
const EXECUTABLE_FILE = "100755";

export type Hidden = {
  readonly files: readonly HiddenFile[];
  /** By path, as git has it: git's name of what was put there; null for nothing. */
  readonly placed: ReadonlyMap<string, string | null>;
  /** Puts everything back that was kept, whatever is in its place now. Safe to repeat. */
  putBack(): Promise<void>;
};

type HideWanted = {
  readonly runGit: RunGit;
  readonly root: string;
  /** Rules for files that configure an agent. */
  readonly rules: PathRules;
  /** The commit that maintainers agreed to. Null where none is in reach. */
  readonly base: string | null;
  /** The folder for files that are taken out, until they are put back. Null: nowhere, the tree ends with the run. */
  readonly keptIn: string | null;
};

export async function hideAgentFiles({ runGit, root, rules, base, keptIn }: HideWanted): Promise<Hidden> {
  const placeIn = (path: string) => rules.placeOf(path, "agent");
  // Those of the commit first, also where they are gone from disk. The walk finds what git ignores, too.
  const tracked = byteRecords((await runGit({ args: ["ls-files", "-z", "--cached"] })).stdout);
  const wanted = [...tracked, ...(await filesIn(root))];
  const paths = [...new Set(wanted)].filter((path) => placeIn(path) !== null);
  const found = await findPaths(root, paths);
  const texts: (string | null)[] = [];
  for (const { path, bytes } of found) {
    const isReadable = bytes !== null && bytes <= MAX_TEXT_BYTES && texts.length < MAX_TEXTS;
    texts.push(isReadable ? await textOf(placeOf(root, path)) : null);
  }
  const kept: Kept[] = [];
  for (const folder of new Set(paths.map((path) => placeIn(path) ?? path))) {
    // Not through a link: git lists no path behind one.
    if (keptIn === null) await rm(placeOf(root, folder), { recursive: true, force: true });
    else kept.push(...(await keep(root, { path: folder, at: join(keptIn, `${kept.length}`) })));
  }
  const placed = new Map<string, string | null>(paths.map((path) => [path, null]));
  for (const { path, name } of base === null ? [] : await instructionsOf({ runGit, rules, base })) {
    if (!(await place({ runGit, root, path, name }))) continue;
    placed.set(path, name);
  }
  const files = paths.map((path, at) => ({
    path: shownPath(path),
    text: texts[at] ?? null,
    isBase: (placed.get(path) ?? null) !== null,
  }));
  return { files, placed, putBack: () => putBack(root, kept.splice(0)) };
}

/** Files and links on disk. */
async function filesIn(root: string): Promise<readonly string[]> {
  const files: string[] = [];
  await walkTree(root, ({ path, kind }) => {
    if (kind !== "folder" && kind !== "git") files.push(path);
    return true;
  });
  return files;
}

/** `path` is relative to the root, in git's own spelling; `at` is where it lies meanwhile. */
type Kept = { readonly path: string; readonly at: string };

/** Nothing where there is no such file. */
async function keep(root: string, kept: Kept): Promise<readonly Kept[]> {
  const place = placeOf(root, kept.path);
  if ((await lstat(place).catch(() => null)) === null) return [];
  await mkdir(dirname(kept.at), { recursive: true, mode: 0o700 });
  await move(place, kept.at);
  return [kept];
}

async function putBack(root: string, kept: readonly Kept[]): Promise<void> {
  for (const { path, at } of kept) {
    // Where the agent put a link, what is behind it is none of the checkout's.
    if (!(await makeFolderOf(root, path))) continue;
    const place = placeOf(root, path);
    await rm(place, { recursive: true, force: true });
    await move(at, place);
  }
}

/** Makes the folders that are missing. False where one of them is a link or a file. */
async function makeFolderOf(root: string, path: string): Promise<boolean> {
  for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
    const folder = placeOf(root, path.slice(0, end));
    const about = await lstat(folder).catch(() => null);
    if (about === null) await mkdir(folder);
    else if (!about.isDirectory()) return false;
  }
  return true;
}

/** Also to another file system. */
async function move(from: Buffer | string, to: Buffer | string): Promise<void> {
  try {
    await rename(from, to);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EXDEV")) throw cause;
    await cp(`${from}`, `${to}`, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    await rm(from, { recursive: true, force: true });
  }
}

type BaseFile = { readonly path: string; readonly name: string };

async function instructionsOf({
  runGit,
  rules,
  base,
}: Pick<HideWanted, "runGit" | "rules"> & { readonly base: string }): Promise<readonly BaseFile[]> {
  const listing = await runGit({ args: ["ls-tree", "-r", "-z", "--full-tree", base] });
  return byteRecords(listing.stdout).flatMap((entry) => {
    const [mode, , name = ""] = entry.slice(0, entry.indexOf("\t")).split(" ");
    const path = entry.slice(entry.indexOf("\t") + 1);
    // A link could lead to a file that the pull request changes.
    const isFile = mode === REGULAR_FILE || mode === EXECUTABLE_FILE;
    return isFile && rules.placeOf(path, "agent") === path && rules.names(path, "instruction")
      ? [{ path, name }]
      : [];
  });
}

/** False where the tree has no such folder, or the base's file is not here. */
async function place(file: BaseFile & Pick<HideWanted, "runGit" | "root">): Promise<boolean> {
  const { runGit, root, path, name } = file;
  const slash = path.lastIndexOf("/");
  const folder = slash < 0 ? "" : path.slice(0, slash);
  if (folder !== "" && !(await isRealFolder(root, folder))) return false;
  const content = await runGit({ args: ["cat-file", "blob", name] }).catch(() => null);
  if (content === null) return false;
  await writeFile(placeOf(root, path), content.stdout, { flag: "wx" });
  return true;
}

async function isRealFolder(root: string, path: string): Promise<boolean> {
  for (let end = path.indexOf("/"); ; end = path.indexOf("/", end + 1)) {
    const about = await lstat(placeOf(root, end < 0 ? path : path.slice(0, end))).catch(() => null);
    if (about?.isDirectory() !== true) return false;
    if (end < 0) return true;
  }
}

async function textOf(place: Buffer): Promise<string | null> {
  const about = await lstat(place).catch(() => null);
  if (about?.isFile() !== true) return null;
  const bytes = await readFile(place);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function placeOf(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), bytesOf(path)]);
}

// Takes the configuration of agents out of a tree that writers did not make.
// Why: docs/decisions/039-agent-configuration-is-hidden.md

import { lstat, readFile, rm, writeFile } from "node:fs/promises";
import type { HiddenFile } from "../core/ports/checkout.ts";
import { agentFileOf, isInstructionFile } from "./agent-files.ts";
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
};

export type HideWanted = {
  readonly runGit: RunGit;
  readonly root: string;
  /** The commit that maintainers agreed to. Null where none is in reach. */
  readonly base: string | null;
};

export async function hideAgentFiles({ runGit, root, base }: HideWanted): Promise<Hidden> {
  const wanted = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = byteRecords((await runGit({ args: wanted })).stdout);
  const paths = [...new Set(listed)].filter((path) => agentFileOf(path) !== null);
  const found = await findPaths(root, paths);
  const texts: (string | null)[] = [];
  for (const { path, bytes } of found) {
    const isReadable = bytes !== null && bytes <= MAX_TEXT_BYTES && texts.length < MAX_TEXTS;
    texts.push(isReadable ? await textOf(placeOf(root, path)) : null);
  }
  for (const folder of new Set(paths.map((path) => agentFileOf(path) ?? path))) {
    // Not through a link: git lists no path behind one.
    await rm(placeOf(root, folder), { recursive: true, force: true });
  }
  const placed = new Map<string, string | null>(paths.map((path) => [path, null]));
  for (const { path, name } of base === null ? [] : await instructionsOf(runGit, base)) {
    if (!(await place({ runGit, root, path, name }))) continue;
    placed.set(path, name);
  }
  const files = paths.map((path, at) => ({
    path: shownPath(path),
    text: texts[at] ?? null,
    isBase: (placed.get(path) ?? null) !== null,
  }));
  return { files, placed };
}

type BaseFile = { readonly path: string; readonly name: string };

async function instructionsOf(runGit: RunGit, base: string): Promise<readonly BaseFile[]> {
  const listing = await runGit({ args: ["ls-tree", "-r", "-z", "--full-tree", base] });
  return byteRecords(listing.stdout).flatMap((entry) => {
    const [mode, , name = ""] = entry.slice(0, entry.indexOf("\t")).split(" ");
    const path = entry.slice(entry.indexOf("\t") + 1);
    // A link could lead to a file that the pull request changes.
    const isFile = mode === REGULAR_FILE || mode === EXECUTABLE_FILE;
    return isFile && isInstructionFile(path) ? [{ path, name }] : [];
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

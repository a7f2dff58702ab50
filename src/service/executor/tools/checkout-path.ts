// The only way from a path that a repository or a model wrote to a path on disk. Nothing outside of the root
// and nothing in git's folder can be reached.

import { lstat, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { isDotGit } from "../../../base/git/dot-git.ts";
import type { Checkout } from "../../core/checkouts/checkout.ts";
import { type CoveredFiles, type FileIdentity, isCovered } from "../../core/ports/covered-files.ts";
import { ToolError } from "./tool.ts";

const MAX_PATH_CHARS = 4096;
const MAX_SHOWN_CHARS = 200;
/** Roots under which commands see the tree in a sandbox, and under which models expect it. */
const SHOWN_ROOTS = ["/checkout", "/workspace"];

/** The tree that a path is resolved in. */
export type ToolTree = Pick<Checkout, "root"> & { readonly covered?: CoveredFiles | undefined };

/**
 * The absolute path of a file or folder of the checkout, symbolic links resolved. Rejects with a `ToolError` when
 * the path is not relative, climbs, names git's folder, leads out of the root, holds credentials that are not of the commit, or is not there.
 */
export async function resolveInCheckout(tree: ToolTree, path: string): Promise<string> {
  const { root } = tree;
  const target = await resolveLinks(join(root, await relativePath(root, path)), path);
  await refuseOutside(root, { path, target });
  refuseCovered(tree, { path, found: { path: relative(await realpath(root), target) } });
  return target;
}

/** Throws a `ToolError` for a file of credentials that a job left in the tree, also where it was moved. */
export function refuseCovered(
  { covered }: Pick<ToolTree, "covered">,
  { path, found }: { readonly path: string; readonly found: { readonly path: string } | FileIdentity },
): void {
  if (isCovered(covered, found))
    throw refusedPath(path, "it holds credentials that the job left there, and is no file of the commit");
}

/** Rejects with a `ToolError` when `target`, an absolute path without links, is not in the root or is in git's folder. */
export async function refuseOutside(
  root: string,
  { path, target }: { readonly path: string; readonly target: string },
): Promise<void> {
  const inside = relative(await realpath(root), target);
  if (inside === ".." || inside.startsWith(`..${sep}`)) {
    throw refusedPath(path, "it is or crosses a symbolic link that leads out of the repository");
  }
  if (namesGitFolder(inside)) throw refusedPath(path, "git's own folder is out of reach");
}

/**
 * The path relative to the root, as `checkRelativePath` has it. An absolute one is taken where it begins with the tree's
 * place, or with a file or folder of the root.
 */
export async function relativePath(root: string, path: string): Promise<string> {
  return checkRelativePath(await withoutRoot(root, path));
}

async function withoutRoot(root: string, path: string): Promise<string> {
  if (!path.startsWith("/") || path.length > MAX_PATH_CHARS || path.includes("\0")) return path;
  const inside = withoutShownRoot(root, path);
  if (inside !== path) return inside;
  const relative = path.replace(/^\/{1,4096}/, "");
  const [first = ""] = relative.split("/");
  const isThere = await lstat(join(root, first)).then(
    () => true,
    () => false,
  );
  return isThere ? relative : path;
}

/** The path, or a pattern of paths, without the place of the tree that it begins with. */
export function withoutShownRoot(root: string, path: string): string {
  const shown = [root, ...SHOWN_ROOTS].find((place) => path === place || path.startsWith(`${place}/`));
  return shown === undefined ? path : path.slice(shown.length).replace(/^\/{1,4096}/, "");
}

/** The path without empty and `.` segments; "" is the root. Throws a `ToolError` for one that could climb. */
export function checkRelativePath(path: string): string {
  if (path.length > MAX_PATH_CHARS) throw refusedPath(path, `it is longer than ${MAX_PATH_CHARS} characters`);
  if (path.includes("\0")) throw refusedPath(path, "it holds a NUL");
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) {
    throw refusedPath(path, "it must be relative to the repository's root");
  }
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) throw refusedPath(path, 'it must not hold ".."');
  if (namesGitFolder(path)) throw refusedPath(path, "git's own folder is out of reach");
  return segments.join("/");
}

/** A path on one line, in JSON quotes when it holds special characters. */
export function showPath(path: string): string {
  const isPlain = !/[\p{C}\u2028\u2029"\\]/u.test(path) && path.trim() === path;
  return isPlain ? path : JSON.stringify(path).replace(/[\p{C}\u2028\u2029]/gu, spellOut);
}

/** Invisible characters, escaped as JSON allows. */
function spellOut(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

function namesGitFolder(path: string): boolean {
  return path.split("/").some(isDotGit);
}

async function resolveLinks(absolute: string, path: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (cause) {
    const shown = quoted(path);
    throw new ToolError("not_found", `There is no file or folder ${shown} in the repository.`, { cause });
  }
}

/** `rule` goes on after "is refused: ". */
export function refusedPath(path: string, rule: string): ToolError {
  return new ToolError("path_refused", `The path ${quoted(path)} is refused: ${rule}.`);
}

function quoted(path: string): string {
  const cut = path.length > MAX_SHOWN_CHARS ? `${path.slice(0, MAX_SHOWN_CHARS)}…` : path;
  return JSON.stringify(cut);
}

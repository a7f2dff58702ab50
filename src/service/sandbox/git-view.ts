// Git's folder as seen from inside a sandbox: readable, so that `git diff` works, and without files that could hold a
// secret. Nothing in it can be changed: a hook or a configuration would be executed later, outside.

import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SandboxedCheckout } from "../core/ports/sandbox.ts";
import { SandboxError } from "./sandbox-error.ts";

/** The place of git's folder for those inside, if not in the tree. */
const INNER_GIT_FOLDER = "/git";

/** The sections that git needs to read its folder. Remotes, credentials and headers are not among them. */
const neededKeys: ReadonlyMap<string, RegExp> = new Map([
  ["core", /^(repositoryformatversion|filemode|bare|ignorecase|symlinks|precomposeunicode|autocrlf|eol)$/i],
  ["extensions", /^(objectformat|refstorage|noop|partialclone)$/i],
]);

export type GitView = {
  readonly binds: readonly string[];
  /** Files made for this command: what is in them, and where they lie. */
  readonly files: readonly { readonly target: string; readonly content: string }[];
};

/** `tree` is where commands find the checkout. */
export async function gitView(checkout: SandboxedCheckout, tree: string): Promise<GitView> {
  const inTree = join(checkout.root, ".git");
  if (checkout.gitFolder !== null) {
    const view = await folderView(checkout.gitFolder, INNER_GIT_FOLDER);
    const pointer = { target: `${tree}/.git`, content: `gitdir: ${INNER_GIT_FOLDER}\n` };
    return { ...view, files: [...view.files, pointer] };
  }
  const kind = await lstat(inTree).catch(() => null);
  // Also covered where it does not exist: a command could create it as a link while another one starts,
  // and the link's target would be shown.
  if (kind === null) return { binds: [], files: [{ target: `${tree}/.git`, content: "" }] };
  if (kind.isSymbolicLink())
    throw new SandboxError("sandbox_not_started", "The checkout's .git is a symbolic link.");
  if (kind.isDirectory()) return await folderView(inTree, `${tree}/.git`);
  return { binds: ["--ro-bind", inTree, `${tree}/.git`], files: [] };
}

/** Of another checkout in the tree: a folder, or the file that names one. */
export async function nestedGitView(path: string, target: string): Promise<GitView> {
  const kind = await lstat(path);
  if (kind.isDirectory()) return await folderView(path, target);
  return kind.isFile() ? { binds: ["--ro-bind", path, target], files: [] } : { binds: [], files: [] };
}

async function folderView(folder: string, target: string): Promise<GitView> {
  const binds = ["--ro-bind", folder, target];
  const files: { target: string; content: string }[] = [];
  const isThere = async (name: string) => (await lstat(join(folder, name)).catch(() => null)) !== null;
  const config = await readFile(join(folder, "config"), "utf8").catch(() => null);
  if (config !== null) files.push({ target: `${target}/config`, content: harmlessConfiguration(config) });
  // A checkout may have written its credentials into any of these.
  for (const name of ["config.worktree", "credentials", "FETCH_HEAD"])
    if (await isThere(name)) files.push({ target: `${target}/${name}`, content: "" });
  for (const name of ["modules", "worktrees", "hooks"])
    if (await isThere(name)) binds.push("--tmpfs", `${target}/${name}`, "--remount-ro", `${target}/${name}`);
  return { binds, files };
}

/** Only plain `key = value` lines of the sections that git needs; continued, included or quoted values are left out. */
export function harmlessConfiguration(text: string): string {
  const kept: string[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    const heading = /^\s*\[\s*([A-Za-z]+)\s*\]\s*$/.exec(line);
    if (line.trimStart().startsWith("[")) {
      section = heading?.[1]?.toLowerCase() ?? "";
      if (neededKeys.has(section)) kept.push(`[${section}]`);
      continue;
    }
    const [, key = "", value = ""] = /^\s*([A-Za-z]+)\s*=\s*(?:([\w.-]+)\s*)?$/.exec(line) ?? [];
    if (neededKeys.get(section)?.test(key) === true) kept.push(`\t${key} = ${value}`);
  }
  return `${kept.join("\n")}\n`;
}

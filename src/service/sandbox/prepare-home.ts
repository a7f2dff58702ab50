// Readies a home that commands have written to for the next one: bubblewrap makes the folders that it mounts on, and would
// follow a link that stands in their way.

import { lstat, mkdir, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { HostView } from "./host-view.ts";
import { isInside } from "./sandbox-config.ts";

/** No command of the run may be running. Whatever stands where a folder has to be is removed. */
export async function prepareHome(
  folder: string,
  { home, tree, inHome }: Pick<HostView, "home" | "tree" | "inHome">,
): Promise<void> {
  const within = [...inHome, ...(isInside(tree, home) ? [tree] : [])];
  for (const target of within) await makeFolders(folder, relative(home, dirname(target)));
  // What is mounted last may be a file; a link in its place goes all the same.
  for (const target of within) await removeLink(join(folder, relative(home, target)));
}

async function makeFolders(root: string, path: string): Promise<void> {
  let folder = root;
  for (const name of path.split("/").filter((part) => part !== "")) {
    folder = join(folder, name);
    const kind = await lstat(folder).catch(() => null);
    if (kind !== null && !kind.isDirectory()) await rm(folder);
    if (kind?.isDirectory() !== true) await mkdir(folder, { mode: 0o700 });
  }
}

async function removeLink(path: string): Promise<void> {
  const kind = await lstat(path).catch(() => null);
  if (kind?.isSymbolicLink() === true) await rm(path);
}

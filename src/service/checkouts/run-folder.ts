// The folder of one run on disk: made, measured, removed. Nothing outside of it is touched.

import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { overridingAttributes } from "../../base/git/hardening.ts";

const runIdPattern = /^[A-Za-z0-9_-]{1,128}$/;
const SUFFIX = ".ws-";
const leftOverPattern = /^[A-Za-z0-9_-]{1,128}\.ws-[A-Za-z0-9]{6}$/;

export type RunFolder = {
  readonly path: string;
  /** Git's own folder. Not inside the tree, so that no file of the tree is part of git's configuration. */
  readonly git: string;
  readonly tree: string;
  /** Stays empty. */
  readonly home: string;
};

/**
 * Makes `<folder>/<runId>.ws-<random>`: a second attempt of a run never meets the first one's files. `earlier` is the name that
 * such a folder had; the new one has it where there is none of this name.
 */
export async function makeRunFolder(folder: string, runId: string, earlier?: string): Promise<RunFolder> {
  if (!runIdPattern.test(runId))
    throw new TypeError("A run id names a folder: letters, digits, _ and - only.");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const prefix = `${runId}${SUFFIX}`;
  const isOwn = earlier?.startsWith(prefix) === true && leftOverPattern.test(earlier);
  const path = (isOwn ? await makeNew(join(folder, earlier)) : null) ?? (await mkdtemp(join(folder, prefix)));
  const made = { path, git: join(path, "git"), tree: join(path, "tree"), home: join(path, "home") };
  try {
    await mkdir(join(made.git, "info"), { recursive: true });
    await writeFile(join(made.git, "info", "attributes"), overridingAttributes);
    await mkdir(made.tree);
    await mkdir(made.home, { mode: 0o500 });
  } catch (cause) {
    // As on a full disk.
    await removeFolder(path);
    throw cause;
  }
  return made;
}

/** Removes a folder and all in it, what was made read-only included. Safe to repeat. */
export async function removeFolder(path: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 };
  try {
    await rm(path, options);
  } catch {
    await makeWritable(path);
    await rm(path, options);
  }
}

/** Removes the run folders that lie in `folder`, and nothing else. */
export async function removeLeftOvers(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && leftOverPattern.test(entry.name)) await removeFolder(join(folder, entry.name));
  }
}

/** Null where there is something. */
async function makeNew(path: string): Promise<string | null> {
  try {
    await mkdir(path, { mode: 0o700 });
    return path;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") return null;
    throw cause;
  }
}

async function makeWritable(path: string): Promise<void> {
  await chmod(path, 0o700).catch(() => undefined);
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(join(path, entry.name));
}

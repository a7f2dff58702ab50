// The home folders of agents, and of commands without a sandbox: each belongs to one process and its children, and is
// removed with its files, after every process that uses it has been ended.

import { chmod, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { endOrphanProcesses } from "./orphan-processes.ts";

const PREFIX = "agent-home-";
const leftOverPattern = /^agent-home-[A-Za-z0-9]{6}$/;

/** Makes `<folder>/agent-home-<random>`, or `<folder>/<earlier>` where that is the name of such a home and there is none. */
export async function makeHome(folder: string, earlier?: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (earlier !== undefined && leftOverPattern.test(earlier)) {
    const home = join(folder, earlier);
    const isMade = await mkdir(home, { mode: 0o700 }).then(
      () => true,
      (cause: NodeJS.ErrnoException) => {
        if (cause.code === "EEXIST") return false;
        throw cause;
      },
    );
    if (isMade) return home;
  }
  return await mkdtemp(join(folder, PREFIX));
}

/** Ends every process whose HOME it is, then removes it, read-only files included. Safe to repeat. */
export async function removeHome(home: string): Promise<void> {
  await endOrphanProcesses(home);
  const options = { recursive: true, force: true, maxRetries: 3 };
  try {
    await rm(home, options);
  } catch {
    await makeWritable(home);
    await rm(home, options);
  }
}

/**
 * Removes the homes that a crashed service left behind, and ends the orphan processes in them. `folder` belongs to one
 * service process: call it before anything is started.
 */
export async function sweepHomes(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw cause;
  });
  for (const entry of entries) {
    if (entry.isDirectory() && leftOverPattern.test(entry.name)) await removeHome(join(folder, entry.name));
  }
}

/** Caches of packages are read-only, folder by folder. */
async function makeWritable(path: string): Promise<void> {
  await chmod(path, 0o700).catch(() => undefined);
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await makeWritable(join(path, entry.name));
}

// What processes cause to be written to disk, how often a node waits for the disk, and what a folder occupies there.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const counter = join(import.meta.dirname, "count-syncs.cjs");

/**
 * Bytes that the process and its children that have ended made dirty on their way to the disk, where the system tells
 * (proc_pid_io(5)). Files that are deleted before they are written count, too. Of a file that lies in the page cache as large folios,
 * a whole folio counts each time: 2 MB for 8 KB, where PostgreSQL writes a file of its log again. So its processes are not asked.
 */
export function writtenBytes(pid: number): number {
  try {
    return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** The environment of a node that counts its calls of fsync in `file`. */
export function countingSyncs(file: string): Record<string, string> {
  return { NODE_OPTIONS: `--require=${counter}`, COUNTED_SYNCS: file };
}

/** How many there were since the node started. */
export function countedSyncs(file: string): number {
  return Number(readFileSync(file, "utf8") || 0);
}

/** What the folder occupies in blocks of the disk. */
export async function occupiedBytes(folder: string): Promise<number> {
  // Files may vanish meanwhile: then it says so with its exit code, and the sum all the same.
  const { stdout } = await run("du", ["-s", "--block-size=1", folder]).catch(
    (cause: { stdout?: string }) => ({ stdout: cause.stdout ?? "" }),
  );
  return Number.parseInt(stdout, 10) || 0;
}

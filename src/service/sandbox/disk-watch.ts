// Measures a checkout while a command works on it, and the free space of its disk.

import { lstat, opendir, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";

const LOOK_EVERY_MS = 100;
const WEIGH_AT_LEAST_EVERY_MS = 5_000;
/** The least that a file or folder counts, because empty ones fill a disk too. */
const LEAST_ENTRY_BYTES = 4096;
const BLOCK_BYTES = 512;
const PORTION = 256;
/** Free space that is kept: a twentieth of the disk, a gigabyte at most. */
const RESERVED_SHARE = 20;
const MAX_RESERVED_BYTES = 1_000_000_000;

type DiskWatch = {
  readonly root: string;
  readonly maxBytes: number;
  readonly clock: Clock;
};

type Weight = { readonly bytes: number; readonly hasHidden: boolean };
type Disk = { readonly freeBytes: number; readonly reservedBytes: number };

/** Measures before the command starts; the returned function watches until a limit is exceeded ("disk") or `signal` aborts (null). */
export async function prepareDiskWatch(
  watch: DiskWatch,
): Promise<(signal: AbortSignal) => Promise<"disk" | null>> {
  const atStart = {
    weight: await weigh(watch.root, Number.POSITIVE_INFINITY),
    disk: await diskOf(watch.root),
  };
  // A checkout that was above the limit before may only shrink.
  const limit = Math.max(watch.maxBytes, atStart.weight.bytes);
  const step = watch.maxBytes / 16;

  return async (signal) => {
    let weighedAt = { freeBytes: atStart.disk.freeBytes, ms: watch.clock.monotonic() };
    while (!signal.aborted) {
      await watch.clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
      if (signal.aborted) return null;
      const disk = await diskOf(watch.root);
      const taken = atStart.disk.freeBytes - disk.freeBytes;
      if (disk.freeBytes < disk.reservedBytes && taken > step) return "disk";
      const isDue = watch.clock.monotonic() - weighedAt.ms >= WEIGH_AT_LEAST_EVERY_MS;
      if (!isDue && weighedAt.freeBytes - disk.freeBytes < step) continue;
      const weight = await weigh(watch.root, limit);
      weighedAt = { freeBytes: disk.freeBytes, ms: watch.clock.monotonic() };
      // A folder that cannot be read may hold everything that the disk has lost.
      const hidden = weight.hasHidden ? Math.max(0, taken) : 0;
      if (Math.max(weight.bytes, hidden) > limit) return "disk";
    }
    return null;
  };
}

async function diskOf(root: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(root);
  return {
    freeBytes: bavail * bsize,
    reservedBytes: Math.min((blocks * bsize) / RESERVED_SHARE, MAX_RESERVED_BYTES),
  };
}

/** Follows no link. Stops beyond `enough`, because a tree may grow as fast as it is walked. */
async function weigh(root: string, enough: number): Promise<Weight> {
  const folders = [root];
  let bytes = 0;
  let hasHidden = false;
  for (let path = folders.pop(); path !== undefined && bytes <= enough; path = folders.pop()) {
    try {
      // In portions, because one folder may hold more names than fit into memory.
      const folder = await opendir(path, { bufferSize: PORTION });
      let portion: Promise<number>[] = [];
      for await (const entry of folder) {
        const inside = join(path, entry.name);
        if (entry.isDirectory()) folders.push(inside);
        portion.push(sizeOf(inside));
        if (portion.length < PORTION) continue;
        bytes += await total(portion);
        portion = [];
        if (bytes > enough) break;
      }
      bytes += await total(portion);
    } catch (cause) {
      // Removed or replaced since it was listed, or not readable.
      const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
      if (code === "EACCES" || code === "ENAMETOOLONG") hasHidden = true;
      else if (code !== "ENOENT" && code !== "ENOTDIR") throw cause;
    }
  }
  return { bytes, hasHidden };
}

async function total(sizes: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function sizeOf(path: string): Promise<number> {
  const { blocks } = await lstat(path).catch(() => ({ blocks: 0 }));
  return Math.max(LEAST_ENTRY_BYTES, blocks * BLOCK_BYTES);
}

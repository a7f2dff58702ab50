// Copies an entry of the cache into a fresh checkout and a fresh home.

import { createReadStream } from "node:fs";
import { lstat, mkdir, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Checkout } from "../core/checkouts/checkout.ts";
import type { PlaceArchive } from "../core/ports/place-archive.ts";
import { CopyRefusedError, type CopyRoom, copyEntry } from "./copy-folder.ts";
import type { FoundEntry } from "./environment-cache.ts";
import { isPackWhole } from "./pack-file.ts";

type RestoreOptions = {
  readonly entry: FoundEntry;
  readonly checkout: Pick<Checkout, "root" | "ignored">;
  /** Empty. */
  readonly home: string | null;
  readonly removeFolder: (path: string) => Promise<void>;
  readonly signal: AbortSignal;
};

/** "broken": the entry is not what was kept. "failed": it could not be copied. */
type Restored = "whole" | "broken" | "failed";

/**
 * Unless it is whole, what was copied into the tree has been removed, and the home has to be made anew. What this tree does
 * not ignore, or has itself, is left out.
 */
export async function restoreEntry(options: RestoreOptions): Promise<Restored> {
  const { entry, checkout, home, removeFolder, signal } = options;
  const { manifest } = entry;
  if (manifest.hasHome !== (home !== null)) return "broken";
  const room: CopyRoom = { bytes: manifest.bytes, entries: manifest.entries, signal };
  const placed: string[] = [];
  const undo = async () => {
    for (const path of placed) await removeFolder(join(checkout.root, path));
  };
  try {
    if (home !== null) await copyInto(entry.home, home, room);
    let isWhole = true;
    for (const path of manifest.paths) {
      if (!(await hasPlaceFor(checkout.root, path))) {
        isWhole = false;
        continue;
      }
      placed.push(path);
      await copyEntry(join(entry.tree, path), join(checkout.root, path), room);
    }
    // Fewer bytes than were kept: the disk has lost some.
    if (isWhole && (room.bytes !== 0 || room.entries !== 0)) {
      await undo();
      return "broken";
    }
    await removeShown(checkout, { placed, removeFolder });
    return "whole";
  } catch (cause) {
    await undo();
    signal.throwIfAborted();
    if (cause instanceof CopyRefusedError) return "broken";
    // Evicted meanwhile, or the disk is full: setup is executed.
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    return "failed";
  }
}

/** Into a place that is not this machine. Unless it is whole, nothing there has changed. */
export async function restorePack(
  { manifest, pack: path }: FoundEntry,
  archive: PlaceArchive,
  signal: AbortSignal,
): Promise<Restored> {
  const { bytes, pack: sha256 } = manifest;
  if (sha256 === undefined || !(await isPackWhole(path, { bytes, sha256 }))) return "broken";
  const isUnpacked = await archive.unpack({ bytes, read: () => createReadStream(path) }, signal);
  // It is what was kept: a pod that a command has changed has no say in what others read.
  return isUnpacked ? "whole" : "failed";
}

/** The home is there and empty; its content is copied. */
async function copyInto(from: string, home: string, room: CopyRoom): Promise<void> {
  await rmdir(home);
  await copyEntry(from, home, room);
}

/** No folder above it is a link, and nothing is there. Makes the folders above it. */
async function hasPlaceFor(root: string, path: string): Promise<boolean> {
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.length === 0 || parts.includes("..") || parts.includes(".git")) return false;
  let folder = root;
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part);
    const kind = await lstat(folder).catch(() => null);
    if (kind === null) await mkdir(folder);
    else if (!kind.isDirectory()) return false;
  }
  return (await lstat(join(root, path)).catch(() => null)) === null;
}

/** Removes files that are not ignored here, which would count as changes of the run. */
async function removeShown(
  checkout: RestoreOptions["checkout"],
  { placed, removeFolder }: { readonly placed: readonly string[] } & Pick<RestoreOptions, "removeFolder">,
): Promise<void> {
  const ignored = new Set(await checkout.ignored());
  const isIgnored = (path: string): boolean =>
    ignored.has(path) || (path.includes("/") && isIgnored(dirname(path)));
  for (const path of placed) if (!isIgnored(path)) await removeFolder(join(checkout.root, path));
}

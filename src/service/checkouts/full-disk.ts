// Detection of a full disk by a failure of git or of the file system.

import { statfs } from "node:fs/promises";
import { hasNoRoom } from "../../base/error-code.ts";
import { GitError } from "../../base/git/git.ts";
import { StorageFullError } from "../core/ports/storage-full.ts";

/** Git does not say why a file could not be written. With less than this its disk is taken to be why. */
const NO_ROOM_BYTES = 16 * 1024 * 1024;

/** `folder`: where it worked. */
export async function isFullDisk(cause: unknown, folder: string): Promise<boolean> {
  if (hasNoRoom(cause)) return true;
  if (!(cause instanceof GitError) || cause.code !== "git_failed") return false;
  const disk = await statfs(folder).catch(() => null);
  return disk !== null && disk.bavail * disk.bsize < NO_ROOM_BYTES;
}

/** Rejects with a `StorageFullError` where `work` finds no room in `folder`, else as it does. */
export async function sayingFull<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    throw (await isFullDisk(cause, folder)) ? new StorageFullError(cause) : cause;
  }
}

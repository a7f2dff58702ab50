// Copies the files of a setup script: folders, files and links as they are, and nothing else. Hostile content is expected. Every
// file is a new one: a hard link to a kept file could be written through.

import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, opendir, readlink, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";

const AT_ONCE = 32;
const MAX_DEPTH = 128;
/** Without set-user-ID, set-group-ID and the sticky bit. */
const PERMISSIONS = 0o777;
const OWNER_ALL = 0o700;
const OWNER_READS = 0o400;

/** The rest of a copy's bounds: shared by several calls. */
export type CopyRoom = { bytes: number; entries: number; readonly signal: AbortSignal };

/** There is more than fits, or something that cannot be copied. */
export class CopyRefusedError extends Error {
  override readonly name = "CopyRefusedError";
}

/**
 * Copies `from`, whatever it is, to `to`, which must not exist and whose parent must. Follows no link. Pipes, sockets and
 * devices are left out. Nothing else may change either place meanwhile. Rejects with a CopyRefusedError, with the signal's
 * reason, or with the system's error, and leaves what it has copied.
 */
export async function copyEntry(from: string, to: string, room: CopyRoom): Promise<void> {
  await copyAny({ from, to, depth: 0 }, room);
}

type Copy = { readonly from: string; readonly to: string; readonly depth: number };

async function copyAny({ from, to, depth }: Copy, room: CopyRoom): Promise<void> {
  room.signal.throwIfAborted();
  if (depth > MAX_DEPTH) throw new CopyRefusedError("The folders are too deep.");
  const kind = await lstat(from);
  if (!kind.isSymbolicLink() && !kind.isFile() && !kind.isDirectory()) return;
  take(room, kind.isFile() ? kind.size : 0);
  if (kind.isSymbolicLink()) return await symlink(await readlink(from), to);
  if (kind.isFile()) {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await chmod(to, (kind.mode & PERMISSIONS) | OWNER_READS);
    return await utimes(to, kind.atime, kind.mtime);
  }
  await mkdir(to, { mode: OWNER_ALL });
  let portion: Copy[] = [];
  for await (const { name } of await opendir(from)) {
    const inner = { from: join(from, name), to: join(to, name), depth: depth + 1 };
    const entry = await lstat(inner.from);
    // One folder at a time, so that open folders stay few.
    if (entry.isDirectory()) await copyAny(inner, room);
    else portion.push(inner);
    if (portion.length < AT_ONCE) continue;
    await copyAll(portion, room);
    portion = [];
  }
  await copyAll(portion, room);
  await chmod(to, (kind.mode & PERMISSIONS) | OWNER_ALL);
  await utimes(to, kind.atime, kind.mtime);
}

/** Waits for each of them: nothing is written after a call has ended. */
async function copyAll(copies: readonly Copy[], room: CopyRoom): Promise<void> {
  const ends = await Promise.allSettled(copies.map((copy) => copyAny(copy, room)));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

function take(room: CopyRoom, bytes: number): void {
  room.bytes -= bytes;
  room.entries -= 1;
  if (room.bytes < 0 || room.entries < 0) throw new CopyRefusedError("There is more than may be kept.");
}

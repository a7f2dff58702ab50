// The only way to change a file. Every folder on the path is opened as a folder, never through a link, and the file
// is opened relative to that open folder, so a folder that is swapped for a link meanwhile is not followed.

import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath, unlink } from "node:fs/promises";
import { errorCode, hasNoRoom } from "../../../base/error-code.ts";
import { refuseCovered, refusedPath, relativePath, showPath, type ToolTree } from "./checkout-path.ts";
import { ToolError } from "./tool.ts";

/** The most that a tool writes: changes of larger files are not kept. */
export const MAX_WRITTEN_BYTES = 5_000_000;

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export type OpenedPath = {
  /** The path as it was given. */
  readonly given: string;
  /** The path of the file, good as long as the place is open. */
  readonly at: string;
  readonly tree: ToolTree;
};

type PlaceWanted = {
  readonly tree: ToolTree;
  readonly path: string;
  readonly missingFolders: "make" | "refuse";
};

/** Opens the folder of a path for as long as `work` takes. Rejects with a `ToolError` when there is no such place. */
export async function atPlace<Value>(
  { tree, path, missingFolders }: PlaceWanted,
  work: (place: OpenedPath) => Promise<Value>,
): Promise<Value> {
  const { root } = tree;
  const inside = await relativePath(root, path);
  refuseCovered(tree, { path, found: { path: inside } });
  const segments = inside.split("/");
  const name = segments.pop() ?? "";
  if (name === "" || /(^|\/)\.?$/.test(path)) throw refusedPath(path, "it names a folder, not a file");
  let folder = await openFolder(await realpath(root));
  try {
    for (const segment of segments) {
      const at = `${folder.at}/${segment}`;
      const next = await enter({ at, path, missingFolders });
      await folder.handle.close();
      folder = next;
    }
    return await work({ given: path, at: `${folder.at}/${name}`, tree });
  } catch (cause) {
    throw explain(cause, path);
  } finally {
    await folder.handle.close();
  }
}

/** The file there now; null when there is none. Rejects for anything that is not a regular file. */
export async function lookAt(place: OpenedPath): Promise<Stats | null> {
  const found = await lstat(place.at).catch((cause: unknown) => {
    if (errorCode(cause) === "ENOENT") return null;
    throw cause;
  });
  if (found !== null) checkRegular(found, place);
  return found;
}

/** Opens a regular file, or makes one where `lookAt` found nothing. */
export async function openFile(
  place: OpenedPath,
  how: "read" | "replace" | "create",
): Promise<{ readonly file: FileHandle; readonly about: Stats }> {
  const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
  const flags = { read: O_RDONLY, replace: O_WRONLY, create: O_WRONLY | O_CREAT | O_EXCL };
  // NONBLOCK: opening a pipe must not block.
  const file = await open(place.at, flags[how] | O_NOFOLLOW | O_NONBLOCK);
  try {
    const about = await file.stat();
    checkRegular(about, place);
    return { file, about };
  } catch (cause) {
    await file.close();
    throw cause;
  }
}

/** Replaces the file's content by `bytes`; its mode stays. On a full disk it stays as it was, and a new one is not there. */
export async function writeWhole(place: OpenedPath, bytes: Buffer): Promise<"created" | "replaced"> {
  const isNew = (await lookAt(place)) === null;
  const { file, about } = await openFile(place, isNew ? "create" : "replace");
  try {
    // What needs room of the disk is written first.
    await writeFrom(file, bytes, about.size);
    await writeFrom(file, bytes.subarray(0, about.size), 0);
    await file.truncate(bytes.length);
  } catch (cause) {
    if (isNew) await unlink(place.at).catch(() => undefined);
    else if (hasNoRoom(cause)) await file.truncate(about.size).catch(() => undefined);
    throw cause;
  } finally {
    await file.close();
  }
  return isNew ? "created" : "replaced";
}

async function writeFrom(file: FileHandle, bytes: Buffer, from: number): Promise<void> {
  let at = from;
  while (at < bytes.length) at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten;
}

function checkRegular(about: Stats, { given, tree }: OpenedPath): void {
  refuseCovered(tree, { path: given, found: about });
  if (about.isSymbolicLink()) throw refusedPath(given, "it is a symbolic link: use the path it leads to");
  if (about.isDirectory()) throw refusedPath(given, "it is a folder");
  if (!about.isFile()) throw refusedPath(given, "it is no regular file");
  // The other hard link may lie outside of the checkout.
  if (about.nlink > 1) throw refusedPath(given, "the file has a second name (a hard link): delete it first");
}

type OpenFolder = { readonly handle: FileHandle; readonly at: string };

async function openFolder(path: string): Promise<OpenFolder> {
  const handle = await open(path, FOLDER);
  // Other systems have no path through a descriptor: there the folders are only checked when entered.
  return { handle, at: process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : path };
}

type Entering = Omit<PlaceWanted, "tree"> & { readonly at: string };

async function enter({ at, path, missingFolders }: Entering): Promise<OpenFolder> {
  try {
    return await openFolder(at);
  } catch (cause) {
    if (errorCode(cause) !== "ENOENT" || missingFolders === "refuse")
      throw await whyNotEntered(cause, { at, path });
  }
  await mkdir(at).catch((cause: unknown) => {
    if (errorCode(cause) !== "EEXIST") throw cause;
  });
  return await openFolder(at).catch(async (cause: unknown) => {
    throw await whyNotEntered(cause, { at, path });
  });
}

async function whyNotEntered(
  cause: unknown,
  { at, path }: { readonly at: string; readonly path: string },
): Promise<unknown> {
  const found = await lstat(at).catch(() => null);
  const name = showPath(at.slice(at.lastIndexOf("/") + 1));
  if (found?.isSymbolicLink() === true) {
    return refusedPath(path, `${name} is a symbolic link, and none is followed: use the path it leads to`);
  }
  return found?.isDirectory() === false ? refusedPath(path, `${name} is a file, not a folder`) : cause;
}

/** An error of the file system, in words that name no path of this machine. */
function explain(cause: unknown, path: string): unknown {
  if (cause instanceof ToolError) return cause;
  const shown = showPath(path);
  const say = (message: string) => new ToolError("failed", message, { cause });
  switch (errorCode(cause)) {
    case undefined:
      return cause;
    case "ENOENT":
      return new ToolError("not_found", `There is no file ${shown} in the repository.`, { cause });
    case "EACCES":
    case "EPERM":
      return say(`The file ${shown} cannot be changed: its permissions or its folder's do not allow it.`);
    case "ENAMETOOLONG":
      return say(`The path ${shown} has a name that is too long for the file system.`);
    case "ENOSPC":
    case "EDQUOT":
      return say(`The file ${shown} could not be written: the disk is full. Delete what is not needed.`);
    case "ELOOP":
    case "EEXIST":
    case "ENXIO":
      return say(`What lies at ${shown} was swapped meanwhile. Look again.`);
    default:
      return say(`The file ${shown} could not be changed (${errorCode(cause)}).`);
  }
}

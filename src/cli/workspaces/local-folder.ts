// The files of a folder, by git's names of their contents. Whatever is written stays below the folder: links are never
// followed, and a file that is not as it was last seen is not replaced.

import { createHash, type Hash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import {
  copyFile,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
} from "node:fs/promises";
import { join } from "node:path";
import { matchesGlob } from "../../base/glob.ts";
import { systemCodeOf } from "../../base/operator-error.ts";
import { CommandError } from "../command-error.ts";
import { type FileStates, isSameFile, type LocalFileMode, type LocalFileState } from "./file-state.ts";
import { isLeftOut, pathFault, RECORD_FOLDER } from "./folder-path.ts";

type LocalFiles = {
  readonly files: FileStates;
  /** Files that cannot be sent, and why. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
};

export type Contents = { readonly size: number; open(): AsyncIterable<Uint8Array> };

/** A file is not as it was when this command looked at the folder: nothing was replaced. */
class FileMovedError extends CommandError {
  constructor(path: string) {
    super(
      `"${path}" has changed while the command was at work. It was not touched: execute the command again.`,
    );
  }
}

export class LocalFolder {
  readonly root: string;
  /** Globs of paths that are neither sent nor fetched. */
  readonly #excluded: readonly string[];

  constructor(root: string, excluded: readonly string[]) {
    this.root = root;
    this.#excluded = excluded;
  }

  isExcluded(path: string): boolean {
    return this.#excluded.some((glob) => matchesGlob(path, glob));
  }

  /** Reads every file. Links are read, not followed; what is neither file nor link nor folder is skipped. */
  async scan(): Promise<LocalFiles> {
    const files = new Map<string, LocalFileState>();
    const skipped: { path: string; why: string }[] = [];
    const visit = async (folder: string): Promise<void> => {
      for (const entry of await readdir(join(this.root, folder), {
        encoding: "buffer",
        withFileTypes: true,
      })) {
        const name = entry.name.toString("utf8");
        const path = folder === "" ? name : `${folder}/${name}`;
        if (isLeftOut(name, folder === "") || this.isExcluded(path)) continue;
        if (!Buffer.from(name).equals(entry.name)) skipped.push({ path, why: "its name is not UTF-8" });
        else if (entry.isDirectory()) await visit(path);
        else if (entry.isFile() || entry.isSymbolicLink()) {
          const state = await this.stateOf(path);
          if (state !== null) files.set(path, state);
        } else skipped.push({ path, why: "it is neither a file, nor a folder, nor a link" });
      }
    };
    await visit("");
    return { files, skipped };
  }

  /** Null where there is no file, nor a link, of that name. */
  async stateOf(path: string): Promise<LocalFileState | null> {
    const found = await lstatOf(join(this.root, path));
    if (found === null || !(found.isFile() || found.isSymbolicLink())) return null;
    if (found.isSymbolicLink()) {
      const target = Buffer.from(await readlink(join(this.root, path)));
      return { oid: blobName(target), mode: "120000" };
    }
    const hash = blobHash(found.size);
    let bytes = 0;
    for await (const chunk of createReadStream(join(this.root, path))) {
      bytes += chunk.length;
      hash.update(chunk);
    }
    if (bytes !== found.size) throw new FileMovedError(path);
    return { oid: hash.digest("hex"), mode: (found.mode & 0o100) === 0 ? "100644" : "100755" };
  }

  /** Contents that are sent of a file; of a link, its target. */
  async contents(path: string): Promise<Contents> {
    const found = await lstatOf(join(this.root, path));
    if (found?.isSymbolicLink() === true) {
      const target = Buffer.from(await readlink(join(this.root, path)));
      return { size: target.length, open: () => oneChunk(target) };
    }
    if (found?.isFile() !== true) throw new FileMovedError(path);
    return { size: found.size, open: () => createReadStream(join(this.root, path)) };
  }

  /**
   * Puts a file in the place of `from`. Rejects with a FileMovedError where another one is there, and where `bytes` are not
   * what was to be written.
   */
  async write(
    path: string,
    file: {
      readonly from: LocalFileState | null;
      readonly to: LocalFileState;
      readonly bytes: AsyncIterable<Uint8Array>;
    },
  ): Promise<void> {
    const { from, to } = file;
    await this.makeWay(path);
    const place = join(this.root, path);
    const temp = await mkdtemp(join(await this.recordFolder(), "part-"));
    try {
      const part = join(temp, "file");
      if (to.mode === "120000") await symlink(await readTarget(file.bytes, to, path), part);
      else await writePart(part, { ...file, path });
      await this.requireState(path, from);
      if (from !== null) await rename(part, place);
      else await putNew(part, { place, path, mode: to.mode });
    } finally {
      await rm(temp, { recursive: true, force: true });
    }
  }

  /** Makes the folders of a file. Rejects where its path is none of this folder, and where a link or a file is in the way. */
  async makeWay(path: string): Promise<void> {
    const fault = pathFault(path, process.platform);
    if (fault !== null) throw new CommandError(`"${path}" cannot be a file of this folder: ${fault}.`);
    await this.#makeFolders(path);
  }

  /** Rejects with a FileMovedError where the file is not as it was. */
  async requireState(path: string, state: LocalFileState | null): Promise<void> {
    if (!isSameFile(await this.stateOf(path), state)) throw new FileMovedError(path);
  }

  /** Removes a file, and the folders that are empty then. Rejects with a FileMovedError where another one is there. */
  async remove(path: string, from: LocalFileState): Promise<void> {
    await this.requireState(path, from);
    await this.#requireFolders(path);
    await rm(join(this.root, path));
    const names = path.split("/").slice(0, -1);
    for (; names.length > 0; names.pop()) {
      try {
        await rmdir(join(this.root, ...names));
      } catch {
        return;
      }
    }
  }

  /** Made where there is none. Git, where the folder is a checkout, ignores what is in it. */
  async recordFolder(): Promise<string> {
    const folder = join(this.root, RECORD_FOLDER);
    const found = await lstatOf(folder);
    if (found !== null && !found.isDirectory()) {
      throw new CommandError(`"${RECORD_FOLDER}" in the folder is no folder: move it away.`);
    }
    if (found === null) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const ignore = await open(join(folder, ".gitignore"), "w");
      await ignore.writeFile("*\n").finally(() => ignore.close());
    }
    return folder;
  }

  async #makeFolders(path: string): Promise<void> {
    await this.#eachFolder(path, async (folder, name) => {
      const found = await lstatOf(folder);
      if (found === null) await mkdir(folder);
      else if (!found.isDirectory()) throw inTheWay(path, name);
    });
  }

  async #requireFolders(path: string): Promise<void> {
    await this.#eachFolder(path, async (folder, name) => {
      if ((await lstatOf(folder))?.isDirectory() !== true) throw inTheWay(path, name);
    });
  }

  async #eachFolder(path: string, visit: (folder: string, name: string) => Promise<void>): Promise<void> {
    const names = path.split("/").slice(0, -1);
    for (let count = 1; count <= names.length; count += 1) {
      const name = names.slice(0, count).join("/");
      await visit(join(this.root, name), name);
    }
  }
}

function inTheWay(path: string, name: string): CommandError {
  return new CommandError(`"${path}" cannot be written or removed: "${name}" in the folder is no folder.`);
}

async function lstatOf(path: string) {
  try {
    return await lstat(path);
  } catch (cause) {
    // A file is where a folder of the path would be.
    if (systemCodeOf(cause) === "ENOENT" || systemCodeOf(cause) === "ENOTDIR") return null;
    throw cause;
  }
}

/** Git's name of these contents. */
export function blobName(bytes: Uint8Array): string {
  return blobHash(bytes.length).update(bytes).digest("hex");
}

/** As git names a blob. */
function blobHash(size: number): Hash {
  return createHash("sha1").update(`blob ${size}\0`);
}

async function* oneChunk(bytes: Buffer): AsyncIterable<Uint8Array> {
  yield bytes;
}

const MAX_TARGET_BYTES = 4_096;

async function readTarget(
  bytes: AsyncIterable<Uint8Array>,
  to: LocalFileState,
  path: string,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > MAX_TARGET_BYTES) throw new CommandError(`The target of the link "${path}" is too long.`);
    chunks.push(chunk);
  }
  const target = Buffer.concat(chunks);
  if (blobName(target) !== to.oid) throw changedMeanwhile(path);
  const text = target.toString("utf8");
  if (text === "" || text.includes("\0") || !Buffer.from(text).equals(target)) {
    throw new CommandError(`The target of the link "${path}" is no path.`);
  }
  return text;
}

/** Its size is part of its name, which is known once all of it is here: the bytes are read twice. */
async function writePart(
  part: string,
  file: { readonly to: LocalFileState; readonly bytes: AsyncIterable<Uint8Array>; readonly path: string },
): Promise<void> {
  const handle = await open(part, "wx", file.to.mode === "100755" ? 0o777 : 0o666);
  let size = 0;
  try {
    for await (const chunk of file.bytes) {
      size += chunk.length;
      await handle.writeFile(chunk);
    }
  } finally {
    await handle.close();
  }
  const hash = blobHash(size);
  for await (const chunk of createReadStream(part)) hash.update(chunk);
  if (hash.digest("hex") !== file.to.oid) throw changedMeanwhile(file.path);
}

function changedMeanwhile(path: string): CommandError {
  return new CommandError(
    `"${path}" has changed in the copy while it was fetched: execute the command again.`,
  );
}

/** Where a file of another spelling is the same one for this file system, nothing is replaced. */
async function putNew(
  part: string,
  { place, path, mode }: { readonly place: string; readonly path: string; readonly mode: LocalFileMode },
): Promise<void> {
  try {
    if (mode === "120000") await symlink(await readlink(part), place);
    else await linkOrCopy(part, place);
  } catch (cause) {
    if (systemCodeOf(cause) === "EEXIST") throw new FileMovedError(path);
    throw cause;
  }
}

/** A second name for it: there is all of the file, or nothing. Some file systems have no such names. */
async function linkOrCopy(part: string, place: string): Promise<void> {
  try {
    await link(part, place);
  } catch (cause) {
    if (systemCodeOf(cause) === "EEXIST") throw cause;
    await copyFile(part, place, constants.COPYFILE_EXCL);
  }
}

// Blobs as files in one folder. Nodes that share a database share the folder, too, by a file system of their machines.

import { once } from "node:events";
import { createReadStream, type ReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { errorCode, hasNoRoom } from "../../base/error-code.ts";
import {
  type BlobStore,
  BlobStoreError,
  checkBlobKey,
  type GetBlob,
  type NewBlob,
  type OpenBlob,
} from "../core/blobs/blob-store.ts";

/** The suffix of a file that is being written. A key is used once, so that its unfinished file is named after it and goes with it. */
const UNFINISHED = ".part";

/** Makes the folder at the first write. */
export function folderBlobs(folder: string): BlobStore {
  const root = resolve(folder);
  const pathOf = (key: string) => join(root, checkBlobKey(key));
  return {
    put: (blob) => writeWhole(pathOf(blob.key), blob).catch(explain),
    get: (key, options = {}) => openFile(pathOf(key), options).catch(explain),
    head: async (key) => {
      const size = await sizeOf(pathOf(key)).catch(explain);
      return size === null ? null : { size };
    },
    delete: async (keys) => {
      for (const path of keys.map(pathOf)) {
        await rm(path, { force: true }).catch(explain);
        await rm(path + UNFINISHED, { force: true }).catch(explain);
      }
    },
  };
}

async function writeWhole(path: string, { open: read, size, signal }: NewBlob): Promise<void> {
  const unfinished = path + UNFINISHED;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(unfinished, "w", 0o600);
  try {
    let written = 0;
    for await (const chunk of read()) {
      signal?.throwIfAborted();
      await file.writeFile(chunk);
      written += chunk.length;
    }
    if (written !== size) throw new TypeError(`A blob of ${size} bytes was given ${written}.`);
    await file.sync();
    await file.close();
    await rename(unfinished, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    await file.close().catch(() => {});
    await rm(unfinished, { force: true }).catch(() => {});
    throw cause;
  }
}

/** A name in a folder survives a crash once the folder is on disk. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function openFile(path: string, { range, signal }: GetBlob): Promise<OpenBlob | null> {
  const size = await sizeOf(path);
  if (size === null) return null;
  const { start, end } = { start: range?.start ?? 0, end: Math.min(range?.end ?? size, size) };
  if (start >= end) return { size: 0, content: nothing() };
  const part = { start, end: end - 1, ...(signal === undefined ? {} : { signal }) };
  const stream = createReadStream(path, part);
  // What cannot be opened is known before anybody is told that it can be read.
  try {
    await once(stream, "open");
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return null;
    throw cause;
  }
  return { size: end - start, content: readable(stream) };
}

async function* readable(stream: ReadStream): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (cause) {
    explain(cause);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function sizeOf(path: string): Promise<number | null> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : null;
  } catch (cause) {
    if (errorCode(cause) === "ENOENT" || errorCode(cause) === "ENOTDIR") return null;
    throw cause;
  }
}

/** The system's failures as the port's, without a path. */
function explain(cause: unknown): never {
  const code = errorCode(cause);
  if (code === undefined || !/^E[A-Z0-9]+$/.test(code)) throw cause;
  const why = hasNoRoom(cause) ? "is full" : `cannot be used (${code})`;
  throw new BlobStoreError(`The folder of blobs ${why}. Look at BLOB_DIR.`, { cause });
}

// Contents that arrive, as files that have no name any more when they are written: a process that ends leaves none.

import { randomUUID } from "node:crypto";
import { mkdir, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, hasNoRoom } from "../../base/error-code.ts";
import { BlobStoreError } from "../core/blobs/blob-store.ts";
import type { Spool, SpoolFile } from "../core/ports/spool.ts";

/** Makes the folder at its first use. */
export function folderSpool(folder: string): Spool {
  return { open: () => openFile(folder).catch(explain) };
}

async function openFile(folder: string): Promise<SpoolFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  let size = 0;
  return {
    append: async (bytes) => {
      let written = 0;
      while (written < bytes.length) {
        const step = await file.write(bytes, written, bytes.length - written, size).catch(explain);
        written += step.bytesWritten;
        size += step.bytesWritten;
      }
    },
    read: () =>
      size === 0
        ? nothing()
        : file.createReadStream({ start: 0, end: size - 1, autoClose: false, highWaterMark: 256 * 1024 }),
    close: () => file.close(),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function explain(cause: unknown): never {
  const code = errorCode(cause);
  const why = hasNoRoom(cause) ? "is full" : `cannot be used (${code ?? "unknown cause"})`;
  throw new BlobStoreError(`The folder of what is uploaded ${why}. Look at DATA_DIR.`, { cause });
}

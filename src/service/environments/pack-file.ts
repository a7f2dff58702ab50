// The file of a pack on this machine's disk: written as it comes, and compared before it is read again.

import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { PackSink } from "../core/ports/place-archive.ts";
import { CopyRefusedError } from "./copy-folder.ts";

export type WrittenPack = { readonly bytes: number; readonly sha256: string };

/** Writes a new file. Rejects with a CopyRefusedError where `pack` says that there is more than may be kept, and as it does. */
export async function writePack(
  path: string,
  pack: (sink: PackSink) => Promise<boolean>,
): Promise<WrittenPack> {
  const file = await open(path, "wx", 0o600);
  try {
    const written = new PackWriter(file);
    if (!(await pack(written))) throw new CopyRefusedError("There is more than may be kept.");
    return await written.end();
  } finally {
    await file.close();
  }
}

class PackWriter implements PackSink {
  readonly #file: FileHandle;
  #hash: Hash = createHash("sha256");
  #bytes = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  begin(): void {
    this.#hash = createHash("sha256");
    this.#bytes = 0;
  }

  async take(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#bytes + at);
      at += bytesWritten;
    }
    this.#bytes += bytes.length;
  }

  async end(): Promise<WrittenPack> {
    await this.#file.truncate(this.#bytes);
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }
}

/** Whether it is what was written. */
export async function isPackWhole(path: string, { bytes, sha256 }: WrittenPack): Promise<boolean> {
  const hash = createHash("sha256");
  let read = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      const part = chunk as Buffer;
      read += part.length;
      hash.update(part);
    }
  } catch {
    return false;
  }
  return read === bytes && hash.digest("hex") === sha256;
}

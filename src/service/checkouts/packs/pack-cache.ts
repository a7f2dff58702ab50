// The packs that this node has read lately, as files on its own disk: least recently used first to go. A run folder gets
// links to them, so that it keeps what the cache lets go.

import { createHash } from "node:crypto";
import { constants, createWriteStream, renameSync } from "node:fs";
import { copyFile, link, mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { errorCode } from "../../../base/error-code.ts";
import { type BlobStore, ContentsLostError } from "../../core/blobs/blob-store.ts";
import type { HeldPack, StoredPackFile } from "../../core/commits/held-pack.ts";

const GONE = ".gone";

type PackCacheOptions = {
  /** Belongs to this process. Made when missing. */
  readonly folder: string;
  /** Bytes that are kept beyond the packs in use. */
  readonly maxBytes: number;
  readonly blobs: BlobStore;
};

/** The files of a pack, as they lie in git's folder of packs. */
export type PackFiles = { readonly pack: string; readonly index: string };

export class PackCache {
  readonly #options: PackCacheOptions;
  readonly #folder: string;
  /** The least recently used first. */
  readonly #kept = new Map<string, number>();
  readonly #loading = new Map<string, Promise<void>>();
  readonly #users = new Map<string, number>();
  #bytes = 0;

  constructor(options: PackCacheOptions) {
    this.#options = options;
    this.#folder = resolve(options.folder);
  }

  /** Forgets what an earlier process left. Called once, before the first use. */
  async sweep(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /**
   * Puts the packs into a folder of git's. Rejects with a ContentsLostError where a blob is not there, or is not what was
   * written, and with a BlobStoreError where it cannot be read.
   */
  async link(packs: readonly HeldPack[], folder: string, signal: AbortSignal): Promise<void> {
    await mkdir(folder, { recursive: true });
    for (const pack of packs) {
      await this.#using(pack.id, async () => {
        await this.#load(pack, signal);
        const target = filesIn(folder, pack.id);
        const source = filesIn(this.#folder, pack.id);
        await linkOrCopy(source.pack, target.pack);
        // Git looks for indexes: a pack without one is none.
        await linkOrCopy(source.index, target.index);
      });
    }
  }

  /** Takes files of a pack that were checked just now. The caller's stay. */
  async adopt(id: string, files: PackFiles, bytes: number): Promise<void> {
    if (this.#kept.has(id)) return;
    await this.#using(id, async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const own = filesIn(this.#folder, id);
      await linkOrCopy(files.pack, own.pack);
      await linkOrCopy(files.index, own.index);
      this.#remember(id, bytes);
    });
  }

  /** Nobody's pack goes while it is being linked. */
  async #using(id: string, work: () => Promise<void>): Promise<void> {
    this.#users.set(id, (this.#users.get(id) ?? 0) + 1);
    try {
      await work();
    } finally {
      const left = (this.#users.get(id) ?? 1) - 1;
      if (left === 0) this.#users.delete(id);
      else this.#users.set(id, left);
      await this.#evict();
    }
  }

  /** Reads a pack once for all that ask for it meanwhile. */
  async #load(pack: HeldPack, signal: AbortSignal): Promise<void> {
    const { id } = pack;
    const known = this.#kept.get(id);
    if (known !== undefined) {
      this.#kept.delete(id);
      this.#kept.set(id, known);
      return;
    }
    let loading = this.#loading.get(id);
    if (loading === undefined) {
      // Not under the signal of the first that asks: others wait for it, too.
      loading = this.#read(pack).finally(() => this.#loading.delete(id));
      loading.catch(() => {});
      this.#loading.set(id, loading);
    }
    await untilAborted(loading, signal);
  }

  async #read(pack: HeldPack): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const own = filesIn(this.#folder, pack.id);
    await this.#download(pack.pack, own.pack);
    await this.#download(pack.index, own.index);
    this.#remember(pack.id, pack.pack.bytes + pack.index.bytes);
  }

  async #download({ key, bytes, sha256 }: StoredPackFile, path: string): Promise<void> {
    const blob = await this.#options.blobs.get(key);
    if (blob === null) throw new ContentsLostError(missingText(key));
    const hash = createHash("sha256");
    let read = 0;
    const checked = async function* (content: AsyncIterable<Uint8Array>) {
      for await (const chunk of content) {
        read += chunk.length;
        if (read > bytes) break;
        hash.update(chunk);
        yield chunk;
      }
    };
    const unfinished = `${path}.part`;
    try {
      await pipeline(checked(blob.content), createWriteStream(unfinished, { mode: 0o400 }));
      if (read !== bytes || hash.digest("hex") !== sha256)
        throw new ContentsLostError(`Blob ${key} is not what was written: it was changed or cut off since.`);
      await rename(unfinished, path);
    } catch (cause) {
      await rm(unfinished, { force: true });
      throw cause;
    }
  }

  #remember(id: string, bytes: number): void {
    this.#bytes += bytes - (this.#kept.get(id) ?? 0);
    this.#kept.delete(id);
    this.#kept.set(id, bytes);
  }

  async #evict(): Promise<void> {
    for (const [id, bytes] of this.#kept) {
      if (this.#bytes <= this.#options.maxBytes) return;
      if (this.#users.has(id)) continue;
      this.#kept.delete(id);
      this.#bytes -= bytes;
      const { index, pack } = filesIn(this.#folder, id);
      // At once, so that whoever loads the pack again meanwhile does not lose it.
      for (const path of [index, pack]) renameSync(path, path + GONE);
      for (const path of [index, pack]) await rm(path + GONE, { force: true });
    }
  }
}

function filesIn(folder: string, id: string): PackFiles {
  return { pack: join(folder, `pack-${id}.pack`), index: join(folder, `pack-${id}.idx`) };
}

function missingText(key: string): string {
  return `Blob ${key} is not there. With BLOB_STORE=folder every node needs the same folder: look at BLOB_DIR.`;
}

async function linkOrCopy(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === "EEXIST") return;
    if (code !== "EXDEV" && code !== "EPERM" && code !== "EMLINK" && code !== "ENOTSUP") throw cause;
    await copyFile(source, target, constants.COPYFILE_FICLONE);
  }
}

async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    over.abort();
  }
}

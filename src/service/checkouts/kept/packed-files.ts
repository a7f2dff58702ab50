// Changed files of a tree as records of a pack. What was read once is not read again while the file stays as it is.

import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import type { Clock } from "../../../base/clock.ts";
import { errorCode } from "../../../base/error-code.ts";
import type { Git } from "../../../base/git/git.ts";
import { type ObjectFormat, objectFormatOf } from "../../../base/git/object-names.ts";
import { objectHeader } from "../../core/workspaces/objects/git-object.ts";
import { bytesOf } from "../byte-paths.ts";
import { askObjects, ObjectQuestions } from "../cat-file.ts";
import { compressed, packHead, type RecordKind, recordHead } from "../scratch/pack-writer.ts";
import { deltaOf } from "./object-delta.ts";

/** Smaller files are stored whole: to ask for what was there before takes longer. */
const MIN_DELTA_BYTES = 32 * 1024;
/** Larger files are never whole in memory. */
const MAX_HELD_BYTES = 4 * 1024 * 1024;
/** Two changes of a file within it may leave the same time. */
const FILE_TIME_MS = 2_000;
const OWNER_EXECUTES = 0o100;
/** NONBLOCK: opening a pipe must not block. */
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const swapped: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EINVAL", "ENXIO"]);

/** `before`: git's name of the file in the commit, null where it has none. */
type FileToPack = { readonly path: string; readonly about: Stats; readonly before: string | null };
/** `record`: null where the commit has the same object at another path. */
type PackedFile = { readonly mode: string; readonly oid: string; readonly record: Buffer | null };

type KnownFile = PackedFile & {
  readonly stamp: string;
  readonly firstReadMs: number;
  /** Read again when no change could have left the same time. */
  readonly isSettled: boolean;
};
type Reading = { readonly git: Git; readonly signal: AbortSignal };
/** An object that the commit has. */
type Base = { readonly oid: string; readonly data: Buffer };

/** More than a pack may hold. */
export class PackTooLargeError extends Error {
  override readonly name = "PackTooLargeError";
  readonly code = "pack_too_large";
}

export class PackedFiles {
  readonly #root: string;
  readonly #format: ObjectFormat;
  readonly #maxPackBytes: number;
  readonly #clock: Pick<Clock, "monotonic">;
  #known: ReadonlyMap<string, KnownFile> = new Map();

  constructor(of: {
    readonly root: string;
    readonly headSha: string;
    readonly maxPackBytes: number;
    readonly clock: Pick<Clock, "monotonic">;
  }) {
    this.#root = of.root;
    this.#format = objectFormatOf(of.headSha);
    this.#maxPackBytes = of.maxPackBytes;
    this.#clock = of.clock;
  }

  forget(): void {
    this.#known = new Map();
  }

  /**
   * By path. A file that a command removes meanwhile is left out. Nothing behind a link is read. `inCommit`: names of objects that
   * need no record. Throws a PackTooLargeError.
   */
  async pack(
    reading: Reading,
    files: readonly FileToPack[],
    inCommit: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, PackedFile>> {
    const now = new Map<string, KnownFile>();
    const whole: FileToPack[] = [];
    const changed: (FileToPack & { readonly before: string })[] = [];
    for (const file of files) {
      const { path, about, before } = file;
      const known = this.#known.get(path);
      const isAsRead = known?.stamp === stampOf(about) && known.isSettled;
      if (isAsRead && (known.record !== null || inCommit.has(known.oid))) now.set(path, known);
      else if (before !== null && about.size >= MIN_DELTA_BYTES && about.size <= MAX_HELD_BYTES)
        changed.push({ ...file, before });
      else whole.push(file);
    }
    let bytes = 0;
    const root = await realpath(this.#root, { encoding: "buffer" });
    const add = async ({ path, about }: FileToPack, base: Base | null) => {
      reading.signal.throwIfAborted();
      const at = Buffer.concat([root, bytesOf(`/${path}`)]);
      const packed = about.isSymbolicLink() ? await this.#packLink(at) : await this.#packFile(at, base);
      if (packed === null) return;
      const record = inCommit.has(packed.oid) ? null : packed.record;
      bytes += record?.length ?? 0;
      if (bytes > this.#maxPackBytes) throw new PackTooLargeError();
      now.set(path, this.#knownBy(path, { ...packed, record }, about));
    };
    for (const file of whole) await add(file, null);
    for await (const { file, base } of basesOf(reading, changed)) await add(file, base);
    this.#known = now;
    return now;
  }

  /** The record of an object: whole, or as it is made from another. */
  async record(
    object: { readonly kind: "blob" | "tree"; readonly data: Buffer },
    base: Base | null,
  ): Promise<Buffer> {
    const delta = base === null ? null : deltaOf(base.data, object.data);
    if (base === null || delta === null || delta.length > object.data.length / 2)
      return await this.#recordOf(object.kind, { data: object.data });
    return await this.#recordOf("delta", { data: delta }, Buffer.from(base.oid, "hex"));
  }

  /** Throws a PackTooLargeError. */
  packOf(records: readonly Buffer[]): Buffer {
    const bytes = Buffer.concat([packHead(records.length), ...records]);
    if (bytes.length > this.#maxPackBytes) throw new PackTooLargeError();
    return Buffer.concat([bytes, createHash(this.#format).update(bytes).digest()]);
  }

  #knownBy(path: string, packed: PackedFile, about: Stats): KnownFile {
    const stamp = stampOf(about);
    const before = this.#known.get(path);
    const nowMs = this.#clock.monotonic();
    const firstReadMs = before?.stamp === stamp ? before.firstReadMs : nowMs;
    return { ...packed, stamp, firstReadMs, isSettled: nowMs - firstReadMs > FILE_TIME_MS };
  }

  async #packLink(at: Buffer): Promise<PackedFile | null> {
    const data = await readlink(at, { encoding: "buffer" }).catch(nullWhereSwapped);
    return data === null ? null : { mode: "120000", ...(await this.#packBlob(data, null)) };
  }

  async #packFile(at: Buffer, base: Base | null): Promise<PackedFile | null> {
    const file = await open(at, FILE).catch(nullWhereSwapped);
    if (file === null) return null;
    try {
      const about = await file.stat();
      if (!about.isFile() || !(await isInPlace(file, at))) return null;
      const mode = (about.mode & OWNER_EXECUTES) === 0 ? "100644" : "100755";
      if (about.size > MAX_HELD_BYTES) return { mode, ...(await this.#packStream(file, about.size)) };
      return { mode, ...(await this.#packBlob(await file.readFile(), base)) };
    } finally {
      await file.close();
    }
  }

  async #packBlob(data: Buffer, base: Base | null): Promise<Omit<PackedFile, "mode">> {
    const oid = createHash(this.#format).update(objectHeader("blob", data.length)).update(data).digest("hex");
    return { oid, record: await this.record({ kind: "blob", data }, base) };
  }

  async #packStream(file: FileHandle, size: number): Promise<Omit<PackedFile, "mode">> {
    const hash = createHash(this.#format).update(objectHeader("blob", size));
    async function* hashed(): AsyncGenerator<Buffer, void, undefined> {
      for await (const chunk of file.createReadStream({ start: 0, end: size - 1, autoClose: false })) {
        hash.update(chunk);
        yield chunk;
      }
    }
    const record = await this.#recordOf("blob", { kind: "blob", oid: "", size, open: hashed });
    return { oid: hash.digest("hex"), record };
  }

  async #recordOf(kind: RecordKind, object: Parameters<typeof compressed>[0], base = Buffer.alloc(0)) {
    const parts = [recordHead(kind, "data" in object ? object.data.byteLength : object.size), base];
    let bytes = 0;
    for await (const chunk of compressed(object, 6)) {
      parts.push(chunk);
      bytes += chunk.length;
      if (bytes > this.#maxPackBytes) throw new PackTooLargeError();
    }
    return Buffer.concat(parts);
  }
}

/** A folder on its path may have been swapped for a link. Only Linux tells the path of an open file. */
async function isInPlace(file: FileHandle, at: Buffer): Promise<boolean> {
  if (process.platform !== "linux") return true;
  return (await readlink(`/proc/self/fd/${file.fd}`, { encoding: "buffer" })).equals(at);
}

/** Each with what the commit has in its place; null where that is large, or a link to elsewhere. */
async function* basesOf<File extends { readonly before: string }>(
  { git, signal }: Reading,
  files: readonly File[],
): AsyncGenerator<{ readonly file: File; readonly base: Base | null }, void, undefined> {
  if (files.length === 0) return;
  const questions = new ObjectQuestions();
  for (const { before } of files) questions.add(before);
  const waiting = [...files];
  for await (const { oid, type, size, bytes } of askObjects({ git, questions, signal })) {
    const file = waiting.shift();
    if (file === undefined) continue;
    const isUsable = type === "blob" && size <= MAX_HELD_BYTES;
    yield { file, base: isUsable ? { oid, data: await bytes(size) } : null };
  }
}

function stampOf({ ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mode} ${mtimeMs} ${ctimeMs}`;
}

function nullWhereSwapped(cause: unknown): null {
  if (swapped.has(errorCode(cause))) return null;
  throw cause;
}

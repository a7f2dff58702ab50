// Writes objects as a git pack, and its index, without a process: gitformat-pack(5). Nothing is made from differences.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, writeFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { crc32, createDeflate, deflate, deflateSync } from "node:zlib";
import type { GivenObject, ScratchObjectKind, StreamedBlob } from "../../core/checkouts/git-scratch.ts";

/** What a record holds: an object, or how one is made from another that the reader has. */
export type RecordKind = ScratchObjectKind | "delta";

const TYPES: Readonly<Record<RecordKind, number>> = { commit: 1, tree: 2, blob: 3, delta: 7 };
const HEADER_BYTES = 12;
const FLUSH_BYTES = 1024 * 1024;
/** Less than this is compressed before a thread would have begun. */
const SYNC_BYTES = 64 * 1024;
const INDEX_HEADER = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
/** An index counts offsets in 31 bits, as it is written here. */
const MAX_INDEXED_BYTES = 2 ** 31 - 1;

const deflateInThread = promisify(deflate);

type Compressible = { readonly data: Uint8Array } | StreamedBlob;

export type PackBounds = { readonly maxObjects: number; readonly maxBytes: number };

/** More objects, or more bytes of them, than allowed. */
export class PackBoundError extends Error {
  override readonly name = "PackBoundError";
  readonly what: "objects" | "bytes";
  readonly allowed: number;

  constructor(what: "objects" | "bytes", allowed: number) {
    super(`More than ${allowed} ${what} were given.`);
    this.what = what;
    this.allowed = allowed;
  }
}

type PackWriterOptions = PackBounds & {
  readonly path: string;
  /** 0 takes no time, for a pack that is read once. */
  readonly compression: 0 | 6;
};

type PackRecord = { readonly oid: string; readonly crc: number; readonly offset: number };

export class PackWriter {
  readonly #file: FileHandle;
  readonly #options: PackWriterOptions;
  readonly #records = new Map<string, PackRecord>();
  #waiting: Buffer[] = [Buffer.alloc(HEADER_BYTES)];
  #waitingBytes = HEADER_BYTES;
  #offset = HEADER_BYTES;
  #givenBytes = 0;

  private constructor(file: FileHandle, options: PackWriterOptions) {
    this.#file = file;
    this.#options = options;
  }

  static async open(options: PackWriterOptions): Promise<PackWriter> {
    return new PackWriter(await open(options.path, "wx+"), options);
  }

  /** Adds it, unless it is there. Throws a PackBoundError. */
  async add(object: GivenObject): Promise<void> {
    if (this.#records.has(object.oid)) return;
    const { maxObjects, maxBytes, compression: level } = this.#options;
    const size = "data" in object ? object.data.byteLength : object.size;
    if (this.#records.size >= maxObjects) throw new PackBoundError("objects", maxObjects);
    this.#givenBytes += size;
    if (this.#givenBytes > maxBytes) throw new PackBoundError("bytes", maxBytes);
    const offset = this.#offset;
    const head = recordHead(object.kind, size);
    await this.#write(head);
    let crc = crc32(head);
    for await (const chunk of compressed(object, level)) {
      crc = crc32(chunk, crc);
      await this.#write(chunk);
    }
    this.#records.set(object.oid, { oid: object.oid, crc, offset });
  }

  /** Whether it was added. */
  has(oid: string): boolean {
    return this.#records.has(oid);
  }

  /** Ends the pack. `index`: where its index goes; null for none. Throws a PackBoundError. */
  async finish(index: string | null): Promise<void> {
    if (index !== null && this.#offset > MAX_INDEXED_BYTES)
      throw new PackBoundError("bytes", MAX_INDEXED_BYTES);
    await this.#flush();
    await this.#file.write(packHead(this.#records.size), 0, HEADER_BYTES, 0);
    const hash = createHash("sha1");
    for await (const chunk of createReadStream(this.#options.path)) hash.update(chunk);
    const checksum = hash.digest();
    await this.#file.write(checksum, 0, checksum.length, this.#offset);
    await this.close();
    if (index !== null) await writeFile(index, indexOf([...this.#records.values()], checksum));
  }

  /** Safe to repeat. */
  async close(): Promise<void> {
    await this.#file.close();
  }

  async #write(chunk: Buffer): Promise<void> {
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#offset += chunk.length;
    if (this.#waitingBytes >= FLUSH_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const waiting = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    const at = this.#offset - waiting.length;
    for (let done = 0; done < waiting.length; ) {
      done += (await this.#file.write(waiting, done, waiting.length - done, at + done)).bytesWritten;
    }
  }
}

export function packHead(records: number): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.write("PACK", "latin1");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(records, 8);
  return head;
}

/** Its type and its size, the size in groups of 4, 7, 7, … bits, the lowest first. */
export function recordHead(kind: RecordKind, size: number): Buffer {
  const bytes = [];
  let byte = (TYPES[kind] << 4) | (size % 16);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest % 128;
  }
  return Buffer.from([...bytes, byte]);
}

/** Its bytes as a record has them after its head. */
export async function* compressed(
  object: Compressible,
  level: 0 | 6,
): AsyncGenerator<Buffer, void, undefined> {
  if (!("data" in object)) yield* compressedStream(object, level);
  else if (object.data.byteLength < SYNC_BYTES) yield deflateSync(object.data, { level });
  else yield await deflateInThread(object.data, { level });
}

async function* compressedStream(blob: StreamedBlob, level: 0 | 6): AsyncGenerator<Buffer, void, undefined> {
  const stream = createDeflate({ level });
  const written = pipeline(Readable.from(exactly(blob), { objectMode: false }), stream);
  written.catch(() => {});
  for await (const chunk of stream) yield chunk;
  await written;
}

/** A pack with another size than it says could not be read. */
async function* exactly({
  oid,
  size,
  open: read,
}: StreamedBlob): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of read()) {
    bytes += chunk.byteLength;
    if (bytes > size) break;
    yield chunk;
  }
  if (bytes !== size) throw new TypeError(`Object ${oid} has not the ${size} bytes that were announced.`);
}

/** Version 2: how many names begin with at most each byte, the names, the sums, the offsets. */
function indexOf(records: readonly PackRecord[], packChecksum: Buffer): Buffer {
  const sorted = records.toSorted((a, b) => (a.oid < b.oid ? -1 : 1));
  const count = sorted.length;
  const names = INDEX_HEADER.length + 256 * 4;
  const sums = names + count * 20;
  const offsets = sums + count * 4;
  const index = Buffer.alloc(offsets + count * 4);
  INDEX_HEADER.copy(index);
  const perByte = new Array<number>(256).fill(0);
  for (const [at, { oid, crc, offset }] of sorted.entries()) {
    index.write(oid, names + at * 20, "hex");
    index.writeUInt32BE(crc, sums + at * 4);
    index.writeUInt32BE(offset, offsets + at * 4);
    const first = index[names + at * 20] ?? 0;
    perByte[first] = (perByte[first] ?? 0) + 1;
  }
  let below = 0;
  for (const [byte, number] of perByte.entries()) {
    below += number;
    index.writeUInt32BE(below, INDEX_HEADER.length + byte * 4);
  }
  const body = Buffer.concat([index, packChecksum]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

// The unfolded size of a pack's objects, found while its bytes pass: each entry says it, a difference in its first bytes. Git
// resolves differences once it has the whole pack, so that nothing of a pack that is too large is unfolded. Format:
// https://git-scm.com/docs/gitformat-pack
// Why: docs/decisions/103-what-a-pack-may-unfold-to.md

import { createInflate, inflateSync } from "node:zlib";
import { megabytes } from "../clone-limits.ts";
import { PackFaultError } from "./pack-stream.ts";

const HEADER_BYTES = 12;
/** Two sizes, with which a difference begins. */
const DELTA_HEADER_BYTES = 20;
/** Of a number in groups of seven bits. */
const MAX_NUMBER_BYTES = 10;
/** Larger entries are inflated as a stream. */
const INFLATED_AT_ONCE_BYTES = 64 * 1024;
/** Beyond the size of the contents: what an honest writer adds to contents that do not become smaller. */
const INFLATED_AT_ONCE_EXTRA_BYTES = 1024;
const types = { commit: 1, tree: 2, blob: 3, tag: 4, offsetDelta: 6, nameDelta: 7 } as const;
const wholeTypes: readonly number[] = [types.commit, types.tree, types.blob, types.tag];

type UnfoldedSizeOptions = {
  /** Begins with the header of a pack, which was checked. */
  readonly content: AsyncIterable<Uint8Array>;
  /** As announced. Null where it was not. */
  readonly size: number | null;
  /** Of an object's name. */
  readonly nameBytes: number;
  /** Of all objects together, and of the differences themselves. */
  readonly maxUnfoldedBytes: number;
};

/**
 * The same bytes. Reading throws a PackFaultError before a chunk is passed on with which the objects become larger than
 * `maxUnfoldedBytes`.
 */
export async function* withinUnfoldedSize(
  options: UnfoldedSizeOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const entries = new PackEntries(options);
  try {
    for await (const chunk of options.content) {
      await entries.take(chunk);
      yield chunk;
    }
  } finally {
    entries.close();
  }
}

/** The entry whose contents are being inflated. */
type Entry = { readonly isDelta: boolean; readonly size: number };

class PackEntries {
  readonly #options: UnfoldedSizeOptions;
  #waiting: Buffer = Buffer.alloc(0);
  #objects = 0;
  #left: number | null = null;
  #unfolded = 0;
  #entry: Entry | null = null;
  #stream: EntryStream | null = null;

  constructor(options: UnfoldedSizeOptions) {
    this.#options = options;
  }

  async take(chunk: Uint8Array): Promise<void> {
    this.#waiting = this.#waiting.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#waiting, chunk]);
    if (this.#left === null) {
      if (this.#waiting.length < HEADER_BYTES) return;
      this.#objects = this.#waiting.readUInt32BE(8);
      this.#left = this.#objects;
      this.#waiting = this.#waiting.subarray(HEADER_BYTES);
    }
    while (this.#left > 0) {
      if (this.#entry === null) {
        this.#entry = this.#readEntry();
        if (this.#entry === null) return;
      }
      if (!(await this.#inflate(this.#entry))) return;
      this.#entry = null;
      this.#left -= 1;
    }
    // What is left is the checksum, or for git to refuse.
    this.#waiting = Buffer.alloc(0);
  }

  close(): void {
    this.#stream?.close();
  }

  /** Null where more bytes are needed. */
  #readEntry(): Entry | null {
    const { nameBytes } = this.#options;
    const bytes = this.#waiting;
    const head = readSize(bytes, { firstBits: 4 });
    if (head === null) return null;
    const type = ((bytes[0] ?? 0) >> 4) & 7;
    let at = head.end;
    if (type === types.offsetDelta) {
      const end = endOfNumber(bytes, at);
      if (end === null) return null;
      at = end;
    } else if (type === types.nameDelta) {
      at += nameBytes;
      if (at > bytes.length) return null;
    } else if (!wholeTypes.includes(type)) {
      throw new PackFaultError(
        "pack_malformed",
        `The pack has an entry of type ${type}, which there is not.`,
      );
    }
    this.#count(head.size);
    this.#waiting = bytes.subarray(at);
    return { isDelta: type === types.offsetDelta || type === types.nameDelta, size: head.size };
  }

  /** False where more bytes are needed. */
  async #inflate(entry: Entry): Promise<boolean> {
    if (this.#stream === null) {
      const most = entry.size + INFLATED_AT_ONCE_EXTRA_BYTES;
      const whole = entry.size <= INFLATED_AT_ONCE_BYTES ? inflateWhole(this.#waiting, entry.size) : null;
      if (whole !== null) {
        this.#countDelta(entry, whole.contents);
        this.#waiting = this.#waiting.subarray(whole.consumed);
        return true;
      }
      if (entry.size <= INFLATED_AT_ONCE_BYTES && this.#waiting.length < most) return false;
      this.#stream = new EntryStream(entry.size);
    }
    const consumed = await this.#stream.take(this.#waiting);
    this.#waiting = this.#waiting.subarray(consumed ?? this.#waiting.length);
    if (consumed === null) return false;
    this.#countDelta(entry, this.#stream.head);
    this.#stream = null;
    return true;
  }

  /** A difference begins with the size of what it is made from, and of what it makes. */
  #countDelta({ isDelta }: Entry, contents: Buffer): void {
    if (!isDelta) return;
    const from = readSize(contents, { firstBits: 7 });
    const made = from === null ? null : readSize(contents.subarray(from.end), { firstBits: 7 });
    if (made === null)
      throw new PackFaultError("pack_malformed", "The pack has a difference that is cut off.");
    this.#count(made.size);
  }

  #count(bytes: number): void {
    this.#unfolded += bytes;
    const { maxUnfoldedBytes, size } = this.#options;
    if (this.#unfolded <= maxUnfoldedBytes) return;
    const read = (this.#objects - (this.#left ?? 0) + 1).toLocaleString("en-US");
    const all = this.#objects.toLocaleString("en-US");
    throw new PackFaultError(
      "contents_too_large",
      `The pack${size === null ? "" : ` of ${megabytes(size)}`} unfolds to ${megabytes(this.#unfolded)} with object ${read} of ${all}, ` +
        `this service unfolds at most ${megabytes(maxUnfoldedBytes)} of it. Send fewer commits at once, or leave large ` +
        "generated files out of the history.",
    );
  }
}

/** The contents of one entry that is not inflated at once. */
class EntryStream {
  readonly #inflate = createInflate();
  readonly #size: number;
  #written = 0;
  #made = 0;
  #hasEnded = false;
  #fault: Error | null = null;
  /** The first bytes. */
  head: Buffer = Buffer.alloc(0);

  constructor(size: number) {
    this.#size = size;
    this.#inflate.on("data", (data: Buffer) => {
      this.#made += data.length;
      if (this.head.length < DELTA_HEADER_BYTES) {
        this.head = Buffer.concat([this.head, data.subarray(0, DELTA_HEADER_BYTES)]);
      }
      if (this.#made > this.#size) this.#inflate.destroy(wrongContents());
    });
    this.#inflate.once("end", () => {
      this.#hasEnded = true;
    });
    this.#inflate.once("error", () => {
      this.#fault = wrongContents();
    });
  }

  /** The count of bytes that were its own, once it has ended; null where more are needed. */
  async take(bytes: Buffer): Promise<number | null> {
    const before = this.#written;
    this.#written += bytes.length;
    await new Promise<void>((resolve) => {
      this.#inflate.once("close", resolve);
      this.#inflate.write(bytes, () => {
        this.#inflate.off("close", resolve);
        // The end is told after what was written.
        setImmediate(resolve);
      });
    });
    if (this.#fault !== null) throw this.#fault;
    const { bytesWritten } = this.#inflate;
    // Bytes that are not its own are left where it has ended; with none left, the next bytes show it.
    if (!this.#hasEnded && bytesWritten === this.#written) return null;
    this.close();
    return bytesWritten - before;
  }

  close(): void {
    this.#inflate.destroy();
  }
}

/** Null where it does not end within these bytes. */
function inflateWhole(bytes: Buffer, size: number): { contents: Buffer; consumed: number } | null {
  try {
    // The types of Node leave out what `info` returns.
    const { buffer, engine } = inflateSync(bytes, {
      info: true,
      maxOutputLength: size + 1,
      chunkSize: Math.max(64, size + 1),
    }) as unknown as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
    if (buffer.length !== size) throw wrongContents();
    return { contents: buffer, consumed: engine.bytesWritten };
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "Z_BUF_ERROR") return null;
    throw wrongContents();
  }
}

function wrongContents(): PackFaultError {
  return new PackFaultError(
    "pack_malformed",
    "The pack has an entry whose contents are not what its size says.",
  );
}

/** A number in groups of seven bits, the lowest first; the first byte may have fewer. Null where it is cut off. */
function readSize(
  bytes: Buffer,
  { firstBits }: { readonly firstBits: 4 | 7 },
): { readonly size: number; readonly end: number } | null {
  let size = 0;
  let place = 1;
  for (let at = 0; at < Math.min(bytes.length, MAX_NUMBER_BYTES); at += 1) {
    const byte = bytes[at] ?? 0;
    const bits = at === 0 ? firstBits : 7;
    size += (byte % 2 ** bits) * place;
    place *= 2 ** bits;
    if (byte < 0x80) return { size, end: at + 1 };
  }
  if (bytes.length < MAX_NUMBER_BYTES) return null;
  throw new PackFaultError("pack_malformed", "The pack has an entry with a size of more than 64 bits.");
}

/** Null where it is cut off. */
function endOfNumber(bytes: Buffer, from: number): number | null {
  for (let at = from; at < Math.min(bytes.length, from + MAX_NUMBER_BYTES); at += 1) {
    if ((bytes[at] ?? 0) < 0x80) return at + 1;
  }
  if (bytes.length < from + MAX_NUMBER_BYTES) return null;
  throw new PackFaultError("pack_malformed", "The pack has an entry whose base is too far away.");
}

// Git's packet lines, as its smart protocols have them: gitprotocol-common(5). Pure.

/** A line has these bytes at most, the four of its length included. */
const MAX_LINE_BYTES = 65_520;
const LENGTH_BYTES = 4;
/** Of side-band-64k: a line without its length and the number of its band. */
const BAND_BYTES = MAX_LINE_BYTES - LENGTH_BYTES - 1;

/** The end of a section of lines. */
export const FLUSH = Buffer.from("0000");

type Packet =
  | { readonly kind: "line"; readonly data: Buffer }
  | { readonly kind: "flush" }
  | { readonly kind: "delimiter" };

/** Bytes that are no packet lines. */
export class PacketError extends Error {
  override readonly name = "PacketError";
  readonly code = "packet_malformed";
}

export function packetLine(data: string | Uint8Array): Buffer {
  const bytes = typeof data === "string" ? Buffer.from(data) : data;
  const length = bytes.byteLength + LENGTH_BYTES;
  if (length > MAX_LINE_BYTES) throw new PacketError(`A line of ${bytes.byteLength} bytes is too long.`);
  return Buffer.concat([Buffer.from(length.toString(16).padStart(LENGTH_BYTES, "0")), bytes]);
}

/** Bytes on a band of side-band-64k: 1 is the answer, 2 is text for the person, 3 ends with an error. */
export function bandLines(band: 1 | 2 | 3, data: Uint8Array): Buffer {
  const lines: Buffer[] = [];
  for (let at = 0; at < data.byteLength; at += BAND_BYTES) {
    lines.push(packetLine(Buffer.concat([Buffer.of(band), data.subarray(at, at + BAND_BYTES)])));
  }
  return Buffer.concat(lines);
}

/** Reads packet lines out of chunks, and then the bytes behind them. */
export class PacketReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Null at the end of the bytes. Throws a PacketError where they are no packet line, or end within one. */
  async next(): Promise<Packet | null> {
    if (!(await this.#hold(LENGTH_BYTES))) {
      if (this.#held.length === 0) return null;
      throw new PacketError("A packet line is cut off.");
    }
    const digits = this.#held.toString("latin1", 0, LENGTH_BYTES);
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
    if (length === 0 || length === 1) {
      this.#held = this.#held.subarray(LENGTH_BYTES);
      return { kind: length === 0 ? "flush" : "delimiter" };
    }
    if (length < LENGTH_BYTES || length > MAX_LINE_BYTES) {
      throw new PacketError("A packet line has a length that none may have.");
    }
    if (!(await this.#hold(length))) throw new PacketError("A packet line is cut off.");
    const data = this.#held.subarray(LENGTH_BYTES, length);
    this.#held = this.#held.subarray(length);
    return { kind: "line", data };
  }

  /** The bytes that were not read. Once, instead of `next` from then on. */
  async *rest(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#held.length > 0) yield this.#held;
    this.#held = Buffer.alloc(0);
    for (;;) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return;
      yield value;
    }
  }

  /** Whether there are so many bytes to read. */
  async #hold(bytes: number): Promise<boolean> {
    while (this.#held.length < bytes) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return false;
      this.#held = this.#held.length === 0 ? Buffer.from(value) : Buffer.concat([this.#held, value]);
    }
    return true;
  }
}

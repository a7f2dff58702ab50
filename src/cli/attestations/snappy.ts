// Decompression of Snappy's raw format, in which GitHub keeps bundles. Pure.
// https://github.com/google/snappy/blob/main/format_description.txt, looked up on 2026-11-29.

/** Null for what is no such text, or is larger than `maxBytes` when it is unfolded. */
export function unfoldSnappy(input: Buffer, maxBytes: number): Buffer | null {
  try {
    return unfold(new Reader(input), maxBytes);
  } catch (cause) {
    if (cause instanceof RangeError) return null;
    throw cause;
  }
}

/** Throws RangeError at the end of the input. */
class Reader {
  readonly #input: Buffer;
  #at = 0;

  constructor(input: Buffer) {
    this.#input = input;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#input.length;
  }

  /** An integer of so many bytes, the lowest first. */
  integer(bytes: number): number {
    return this.take(bytes).readUIntLE(0, bytes);
  }

  take(bytes: number): Buffer {
    const end = this.#at + bytes;
    if (end > this.#input.length) throw new RangeError("It ends too early.");
    const taken = this.#input.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

const LITERAL = 0;
/** In the tag: longer ones follow it in one to four bytes. */
const MAX_SHORT_LITERAL = 60;

function unfold(reader: Reader, maxBytes: number): Buffer {
  const size = readSize(reader);
  if (size > maxBytes) throw new RangeError("It is too large.");
  const output = Buffer.alloc(size);
  let at = 0;
  while (!reader.isAtEnd) {
    const tag = reader.integer(1);
    if ((tag & 3) === LITERAL) {
      const literal = reader.take(literalSize(reader, tag >> 2));
      if (at + literal.length > size) throw new RangeError("It is longer than it says.");
      at += literal.copy(output, at);
    } else {
      const { length, offset } = readCopy(reader, tag);
      if (offset === 0 || offset > at || at + length > size)
        throw new RangeError("It copies what is not there.");
      // Byte by byte: a copy may go on into what it writes.
      for (const end = at + length; at < end; at += 1) output[at] = output[at - offset] ?? 0;
    }
  }
  if (at !== size) throw new RangeError("It is shorter than it says.");
  return output;
}

/** Seven bits a byte, the lowest first; the eighth says that more follow. */
function readSize(reader: Reader): number {
  let size = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = reader.integer(1);
    size += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return size;
  }
  throw new RangeError("Its size is no number.");
}

function literalSize(reader: Reader, short: number): number {
  return (short < MAX_SHORT_LITERAL ? short : reader.integer(short - MAX_SHORT_LITERAL + 1)) + 1;
}

function readCopy(reader: Reader, tag: number): { readonly length: number; readonly offset: number } {
  const kind = tag & 3;
  if (kind === 1) return { length: ((tag >> 2) & 7) + 4, offset: ((tag >> 5) << 8) + reader.integer(1) };
  return { length: (tag >> 2) + 1, offset: reader.integer(kind === 2 ? 2 : 4) };
}

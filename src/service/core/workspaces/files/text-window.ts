// A window of a text, counted in bytes and cut between characters. Pure over what reads the bytes.

type TextWindow = {
  readonly content: string;
  readonly offset: number;
  readonly nextOffset: number | null;
};

/** No character of UTF-8 is longer. */
const LONGEST = 4;

type WindowRequest = {
  readonly size: number;
  readonly offset: number;
  readonly length: number;
  read(range: { readonly start: number; readonly end: number }): Promise<Uint8Array>;
};

/**
 * Begins at the first character at or behind `offset`, and holds one character at least. Null where the window is no text: not
 * UTF-8, or with a NUL.
 */
export async function readTextWindow(request: WindowRequest): Promise<TextWindow | null> {
  const { size, offset, length, read } = request;
  const end = Math.min(size, offset + length + LONGEST);
  const bytes = offset >= end ? new Uint8Array() : await read({ start: offset, end });
  if (bytes.includes(0)) return null;
  const from = offset === 0 ? 0 : nextStart(bytes, 0);
  const isRest = offset + length >= size;
  const to = isRest ? bytes.length : cutBefore(bytes, { from, at: Math.max(length, from) });
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const content = decoder.decode(bytes.subarray(from, to));
    return { content, offset: offset + from, nextOffset: offset + to < size ? offset + to : null };
  } catch {
    return null;
  }
}

/** The beginning of the character that lies at `at`, unless it is the first one of the window: then the beginning of the next one. */
function cutBefore(bytes: Uint8Array, { from, at }: { from: number; at: number }): number {
  let cut = Math.min(at, bytes.length);
  for (let back = 0; back < LONGEST && cut > from && isContinuation(bytes[cut]); back += 1) cut -= 1;
  return cut > from ? cut : nextStart(bytes, from + 1);
}

/** The beginning of a character; a longer run of continuations is no text. */
function nextStart(bytes: Uint8Array, at: number): number {
  let start = Math.min(at, bytes.length);
  for (let step = 1; step < LONGEST && isContinuation(bytes[start]); step += 1) start += 1;
  return start;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

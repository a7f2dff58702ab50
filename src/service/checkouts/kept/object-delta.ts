// Deltas that make one object from another in git's packs: gitformat-pack(5), "deltified representation". Pure.

/** Shorter lines are written again rather than looked up. */
const MIN_LINE_BYTES = 8;
const LINE_FEED = 10;
const MAX_COPY_BYTES = 0xffff;
const MAX_INSERT_BYTES = 0x7f;

type Run = { readonly from: number; readonly length: number };

/** What both begin and end with is copied, and between that each run that begins with a line of the base. */
export function deltaOf(base: Buffer, target: Buffer): Buffer {
  const instructions: Buffer[] = [sizeOf(base.length), sizeOf(target.length)];
  const shorter = Math.min(base.length, target.length);
  const start = runOf(base, target, { from: 0, at: 0, end: shorter });
  let tail = 0;
  while (tail < shorter - start && base.at(-1 - tail) === target.at(-1 - tail)) tail += 1;
  const end = target.length - tail;
  const lines = linesOf(base, start, base.length - tail);
  instructions.push(...copy({ from: 0, length: start }));
  let written = start;
  for (let at = start; at < end; ) {
    const next = nextLine(target, at, end);
    const from = lines.get(target.toString("latin1", at, next));
    if (from === undefined) at = next;
    else {
      instructions.push(...insert(target.subarray(written, at)));
      const length = runOf(base, target, { from, at, end });
      instructions.push(...copy({ from, length }));
      written = at + length;
      at = target[written - 1] === LINE_FEED ? written : nextLine(target, written, end);
    }
  }
  instructions.push(...insert(target.subarray(written, end)));
  instructions.push(...copy({ from: base.length - tail, length: tail }));
  return Buffer.concat(instructions);
}

/** Where each line of a part begins first. */
function linesOf(base: Buffer, start: number, end: number): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (let at = start; at < end; ) {
    const next = nextLine(base, at, end);
    const line = base.toString("latin1", at, next);
    if (line.length >= MIN_LINE_BYTES && !lines.has(line)) lines.set(line, at);
    at = next;
  }
  return lines;
}

function nextLine(bytes: Buffer, at: number, end: number): number {
  const feed = bytes.indexOf(LINE_FEED, at);
  return feed < 0 || feed >= end ? end : feed + 1;
}

/** How many bytes are the same from there on. */
function runOf(base: Buffer, target: Buffer, of: { from: number; at: number; end: number }): number {
  const { from, at, end } = of;
  const most = Math.min(base.length - from, end - at);
  let length = 0;
  while (length < most && base[from + length] === target[at + length]) length += 1;
  return length;
}

/** In groups of 7 bits, the lowest first. */
function sizeOf(size: number): Buffer {
  const bytes = [];
  for (let rest = size; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

function* copy({ from, length }: Run): Generator<Buffer, void, undefined> {
  for (let done = 0; done < length; done += MAX_COPY_BYTES) {
    const bytes = [0x80];
    const add = (number: number, firstBit: number, count: number) => {
      for (let byte = 0; byte < count; byte += 1) {
        const value = (number >>> (8 * byte)) & 0xff;
        if (value === 0) continue;
        bytes[0] = (bytes[0] ?? 0) | (firstBit << byte);
        bytes.push(value);
      }
    };
    add(from + done, 0x01, 4);
    add(Math.min(MAX_COPY_BYTES, length - done), 0x10, 2);
    yield Buffer.from(bytes);
  }
}

function* insert(bytes: Buffer): Generator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += MAX_INSERT_BYTES) {
    const part = bytes.subarray(at, at + MAX_INSERT_BYTES);
    yield Buffer.from([part.length]);
    yield part;
  }
}

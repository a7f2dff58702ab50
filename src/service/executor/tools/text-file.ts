// Opens one regular text file of a checkout, and reads it whole or line by line. A file of any size is read by lines: no more than
// the lines that are wanted stay in memory.

import { constants } from "node:fs";
import { type FileHandle, open, readlink } from "node:fs/promises";
import { imageTypeOf } from "../../../base/image-type.ts";
import { refuseCovered, refuseOutside, resolveInCheckout, showPath, type ToolTree } from "./checkout-path.ts";
import { ToolError } from "./tool.ts";

/** Larger files are read by lines, not whole. */
const MAX_FILE_BYTES = 1024 * 1024;
/** The bytes in which git looks for a NUL before it calls a file text. */
export const SNIFFED_BYTES = 8000;
const CHUNK_BYTES = 256 * 1024;
/** Lines are counted this far behind the last that is wanted. */
const MAX_COUNTED_BYTES = 256 * 1024 * 1024;
/** Of the number before a line, and of its end. */
const NUMBER_BYTES = 8;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

type OpenFile = { readonly file: FileHandle; readonly size: number; readonly name: string };

/** Opens a regular file for as long as `work` takes. Rejects with a `ToolError` where there is none. */
export async function withFile<Value>(
  tree: ToolTree,
  path: string,
  work: (opened: OpenFile) => Promise<Value>,
): Promise<Value> {
  const target = await resolveInCheckout(tree, path);
  const name = showPath(path);
  // NONBLOCK: opening a pipe must not block.
  const file = await open(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause) => {
      throw new ToolError("not_found", `The file ${name} cannot be opened.`, { cause });
    },
  );
  try {
    await refuseSwapped(file, { root: tree.root, path });
    const about = await file.stat();
    refuseCovered(tree, { path, found: about });
    if (!about.isFile())
      throw new ToolError("not_text", `${name} is not a file. Use list_files for a folder.`);
    return await work({ file, size: about.size, name });
  } finally {
    await file.close();
  }
}

/** The text of a file, without a byte order mark; bytes that are no UTF-8 become U+FFFD. */
export async function readTextFile(tree: ToolTree, path: string): Promise<string> {
  return await withFile(tree, path, async ({ file, size, name }) => {
    if (size > MAX_FILE_BYTES) {
      const message = `The file ${name} has ${size} bytes, at most ${MAX_FILE_BYTES} are read. Use search instead.`;
      throw new ToolError("too_large", message);
    }
    const bytes = await file.readFile();
    refuseBinary(bytes.subarray(0, SNIFFED_BYTES), { size, name });
    return new TextDecoder().decode(bytes);
  });
}

type LinesWanted = {
  /** Counted from 1. */
  readonly first: number;
  readonly count: number;
  /** Of one line; what is longer is cut. */
  readonly maxLineBytes: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
};

type ReadLines = {
  /** Without their ends. */
  readonly lines: readonly ReadLine[];
  /** The count of the file's lines; a lower bound where it was not read to its end. */
  readonly total: number;
  readonly isCounted: boolean;
  readonly hasCrlf: boolean;
};

export type ReadLine = { readonly text: string /** Of the whole line. */; readonly bytes: number };

/** Reads lines of a text file. Rejects with a `ToolError` for a binary one. */
export async function readLines(tree: ToolTree, path: string, wanted: LinesWanted): Promise<ReadLines> {
  return await withFile(tree, path, async ({ file, size, name }) => {
    const lines = new LineTaker(wanted);
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(size, SNIFFED_BYTES)));
    let position = 0;
    let isCounted = true;
    for (;;) {
      wanted.signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      if (position === 0) refuseBinary(chunk.subarray(0, SNIFFED_BYTES), { size, name });
      lines.take(position === 0 ? withoutMark(chunk) : chunk);
      position += bytesRead;
      if (lines.bytesBehind > MAX_COUNTED_BYTES) {
        isCounted = false;
        break;
      }
    }
    return { ...lines.end(), isCounted };
  });
}

class LineTaker {
  readonly #wanted: LinesWanted;
  readonly #lines: ReadLine[] = [];
  #line = 1;
  #parts: Buffer[] = [];
  #kept = 0;
  #bytes = 0;
  #takenBytes = 0;
  #last = LINE_FEED;
  #hasCrlf = false;
  bytesBehind = 0;

  constructor(wanted: LinesWanted) {
    this.#wanted = wanted;
  }

  take(chunk: Buffer): void {
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf(LINE_FEED, start);
      this.#add(chunk.subarray(start, end < 0 ? chunk.length : end));
      if (end >= 0) this.#close();
      start = end < 0 ? chunk.length : end + 1;
    }
    if (this.#isBehind) this.bytesBehind += chunk.length;
  }

  end(): Omit<ReadLines, "isCounted"> {
    if (this.#bytes > 0) this.#close();
    return { lines: this.#lines, total: this.#line - 1, hasCrlf: this.#hasCrlf };
  }

  get #isBehind(): boolean {
    const { first, count, maxBytes } = this.#wanted;
    return this.#line >= first + count || this.#takenBytes > maxBytes;
  }

  #add(part: Buffer): void {
    this.#bytes += part.length;
    if (part.length > 0) this.#last = part[part.length - 1] ?? LINE_FEED;
    const room = this.#wanted.maxLineBytes + 1 - this.#kept;
    if (this.#line < this.#wanted.first || this.#isBehind || room <= 0) return;
    // The chunk's memory is used again.
    const kept = Buffer.from(part.subarray(0, room));
    this.#parts.push(kept);
    this.#kept += kept.length;
  }

  #close(): void {
    if (this.#line >= this.#wanted.first && !this.#isBehind) this.#keep();
    this.#parts = [];
    this.#kept = 0;
    this.#bytes = 0;
    this.#last = LINE_FEED;
    this.#line += 1;
  }

  #keep(): void {
    const isCrlf = this.#last === CARRIAGE_RETURN;
    this.#hasCrlf ||= isCrlf;
    const bytes = this.#bytes - (isCrlf ? 1 : 0);
    const kept = Buffer.concat(this.#parts).subarray(0, Math.min(bytes, this.#wanted.maxLineBytes));
    // A character that the cut has split is left out.
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(kept, { stream: kept.length < bytes });
    this.#takenBytes += kept.length + NUMBER_BYTES;
    // The first is shown however long it is.
    if (this.#takenBytes <= this.#wanted.maxBytes || this.#lines.length === 0)
      this.#lines.push({ text, bytes });
  }
}

function withoutMark(chunk: Buffer): Buffer {
  const hasMark = chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
  return hasMark ? chunk.subarray(3) : chunk;
}

function refuseBinary(head: Buffer, { size, name }: { readonly size: number; readonly name: string }): void {
  const image = imageTypeOf(head);
  if (image !== null) {
    const message = `The file ${name} is an image (${image}, ${size} bytes). Use view_image to see it.`;
    throw new ToolError("not_text", message);
  }
  if (head.includes(0)) throw new ToolError("not_text", `The file ${name} is binary (${size} bytes).`);
}

/**
 * Checks where the open file really is: a folder on its path may have been swapped for a link between the check of the
 * path and the open. Only Linux tells the path of an open file, and only there agents run in a sandbox.
 */
async function refuseSwapped(
  file: FileHandle,
  { root, path }: { root: string; path: string },
): Promise<void> {
  if (process.platform !== "linux") return;
  await refuseOutside(root, { path, target: await readlink(`/proc/self/fd/${file.fd}`) });
}

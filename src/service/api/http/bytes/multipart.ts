// A body of several files as they arrive (RFC 7578), one after the other: none is held as a whole.
// Why: docs/decisions/138-small-parsers-of-our-own.md

import { invalidRequest } from "../../../core/ports/problem.ts";
import { RequestBodyError } from "./request-bytes.ts";

type FilePart = {
  /** As the client wrote it, folders included. */
  readonly filename: string;
  /** To be read to its end before the next part. */
  readonly content: AsyncIterable<Uint8Array>;
};

const MAX_HEAD_BYTES = 16 * 1024;
const MAX_BOUNDARY_CHARS = 70;
const DASHES = Buffer.from("--");
const END_OF_LINE = Buffer.from("\r\n");
const END_OF_HEAD = Buffer.from("\r\n\r\n");

/** The boundary that a Content-Type names; null where it names none. */
export function boundaryOf(contentType: string): string | null {
  const [, ...parameters] = contentType.split(";");
  for (const parameter of parameters) {
    const at = parameter.indexOf("=");
    if (at < 0 || parameter.slice(0, at).trim().toLowerCase() !== "boundary") continue;
    const value = parameter.slice(at + 1).trim();
    const bare = value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
    return bare === "" || bare.length > MAX_BOUNDARY_CHARS ? null : bare;
  }
  return null;
}

/** Throws a RequestBodyError where the body is no such one, or a part is no file. */
export async function* readParts(
  body: AsyncIterable<Uint8Array>,
  { boundary, maxParts }: { readonly boundary: string; readonly maxParts: number },
): AsyncGenerator<FilePart, void, undefined> {
  const bytes = new Scanner(body);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // The first one may begin the body, without the end of a line before it.
  bytes.unread(END_OF_LINE);
  for await (const _preamble of bytes.until(delimiter));
  for (let count = 0; ; count += 1) {
    const mark = await bytes.take(2);
    if (mark.equals(DASHES)) return;
    if (!mark.equals(END_OF_LINE)) throw malformed("what follows a boundary is no end of a line");
    if (count === maxParts) throw malformed(`it has more than ${maxParts} files`);
    const filename = filenameOf(await bytes.head());
    const content = bytes.until(delimiter);
    yield { filename, content };
    // What was not read of it.
    for await (const _rest of content);
  }
}

class Scanner {
  readonly #body: AsyncIterator<Uint8Array>;
  #held: Buffer = Buffer.alloc(0);

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#body = body[Symbol.asyncIterator]();
  }

  unread(bytes: Buffer): void {
    this.#held = Buffer.concat([bytes, this.#held]);
  }

  async take(count: number): Promise<Buffer> {
    while (this.#held.length < count) await this.#more();
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  /** The lines up to an empty one. */
  async head(): Promise<string> {
    // A part without headers begins with the empty line.
    this.unread(END_OF_LINE);
    for (let from = 0; ; ) {
      const end = this.#held.indexOf(END_OF_HEAD, from);
      if (end >= 0) {
        const text = this.#held.toString("utf8", 0, end);
        this.#held = this.#held.subarray(end + END_OF_HEAD.length);
        return text;
      }
      if (this.#held.length > MAX_HEAD_BYTES) {
        throw malformed(`the headers of a part have more than ${MAX_HEAD_BYTES} bytes`);
      }
      from = Math.max(0, this.#held.length - END_OF_HEAD.length);
      await this.#more();
    }
  }

  /** Bytes before the delimiter, which is taken as well. */
  async *until(delimiter: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const end = this.#held.indexOf(delimiter);
      if (end >= 0) {
        const last = this.#held.subarray(0, end);
        this.#held = this.#held.subarray(end + delimiter.length);
        if (last.length > 0) yield last;
        return;
      }
      // The end of what is held may begin the delimiter.
      const sure = this.#held.length - delimiter.length + 1;
      if (sure > 0) {
        const part = this.#held.subarray(0, sure);
        this.#held = this.#held.subarray(sure);
        yield part;
      }
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    const next = await this.#body.next();
    if (next.done === true) throw malformed("it ends before its last boundary");
    const { value } = next;
    this.#held = this.#held.length === 0 ? Buffer.from(value) : Buffer.concat([this.#held, value]);
  }
}

function filenameOf(head: string): string {
  for (const line of head.split("\r\n")) {
    const colon = line.indexOf(":");
    if (line.slice(0, colon).trim().toLowerCase() !== "content-disposition") continue;
    const filename = parameterOf(line.slice(colon + 1), "filename");
    if (filename !== null && filename !== "") return filename;
  }
  throw malformed("a part has no filename: each part is a file, and its filename the file's path");
}

/** Reads `form-data; name="a"; filename="b"`: quoted as browsers do it, or with a backslash before a quote. */
function parameterOf(text: string, wanted: string): string | null {
  let at = text.indexOf(";");
  while (at >= 0 && at < text.length) {
    const equals = text.indexOf("=", at);
    if (equals < 0) return null;
    const name = text
      .slice(at + 1, equals)
      .trim()
      .toLowerCase();
    const quoted = text.charAt(equals + 1) === '"';
    const { value, end } = quoted ? quotedAt(text, equals + 2) : bareAt(text, equals + 1);
    if (name === wanted) return value;
    at = text.indexOf(";", end);
  }
  return null;
}

function quotedAt(text: string, from: number): { value: string; end: number } {
  let value = "";
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') return { value: unescaped(value), end: at + 1 };
    const next = text.charAt(at + 1);
    if (character === "\\" && (next === '"' || next === "\\")) {
      value += next;
      at += 1;
    } else value += character;
  }
  throw malformed("the name of a part has no end");
}

function bareAt(text: string, from: number): { value: string; end: number } {
  const semicolon = text.indexOf(";", from);
  const end = semicolon < 0 ? text.length : semicolon;
  return { value: text.slice(from, end).trim(), end };
}

/** Browsers escape these three, and nothing else. */
function unescaped(value: string): string {
  return value.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");
}

function malformed(why: string): RequestBodyError {
  return new RequestBodyError(invalidRequest(`The body is no multipart/form-data of files: ${why}.`));
}

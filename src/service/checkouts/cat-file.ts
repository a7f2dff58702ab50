// Objects out of a git folder, many by one process of `git cat-file --batch`: it is asked while its answers are read, and waits
// where they are not read.

import type { Git } from "../../base/git/git.ts";
import { MAX_WAITING_BYTES, streamOutput } from "./stream-output.ts";

const MAX_LINE_BYTES = 1024;
const LINE_FEED = 10;

type ObjectAnswer = {
  readonly oid: string;
  /** `missing` where there is none. */
  readonly type: string;
  readonly size: number;
  /** Its content, once, before the next answer. What is not read is passed over. */
  content(): AsyncGenerator<Buffer, void, undefined>;
  /** The first bytes of its content, or all. Once, instead of `content`. */
  bytes(max: number): Promise<Buffer>;
};

/** Objects to ask for. An answer may lead to more questions: they end once every one is answered. */
export class ObjectQuestions implements AsyncIterable<Uint8Array> {
  #lines: string[] = [];
  #unanswered = 0;
  #isOver = false;
  #wake: (() => void) | null = null;

  add(oid: string): void {
    this.#lines.push(oid);
    this.#unanswered += 1;
    this.#wake?.();
  }

  /** Called by `askObjects`, once for each answer. */
  answered(): void {
    this.#unanswered -= 1;
    if (this.#unanswered === 0) this.end();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      if (this.#isOver) return;
      if (this.#lines.length > 0) {
        const lines = this.#lines;
        this.#lines = [];
        yield Buffer.from(`${lines.join("\n")}\n`);
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = null;
      }
    }
  }
}

type ObjectReading = {
  readonly git: Git;
  /** Git waits for them: end them where none is added. */
  readonly questions: ObjectQuestions;
  readonly signal: AbortSignal;
  /** The multiple of the usual timeout that all of it may take. Default 1. */
  readonly timeoutFactor?: number;
};

/** In the order of the questions. The process has ended when the iteration has, however it ends. Throws a GitError. */
export async function* askObjects(reading: ObjectReading): AsyncGenerator<ObjectAnswer, void, undefined> {
  const { git, questions, signal, timeoutFactor } = reading;
  const call = { args: ["cat-file", "--batch"], input: questions, signal };
  const output = streamOutput(git, timeoutFactor === undefined ? call : { ...call, timeoutFactor });
  const reader = new OutputReader(output);
  try {
    for (;;) {
      const line = await reader.line();
      if (line === null) return;
      const [oid = "", type = "", size = "0"] = line.split(" ");
      let left = type === "missing" ? 0 : Number(size);
      const content = async function* () {
        while (left > 0) {
          const chunk = await reader.take(left);
          left -= chunk.length;
          yield chunk;
        }
      };
      yield { oid, type, size: left, content, bytes: (max) => firstBytes(content(), max) };
      while (left > 0) left -= (await reader.take(left)).length;
      if (type !== "missing") await reader.take(1);
      questions.answered();
    }
  } finally {
    questions.end();
    await reader.close();
  }
}

/** Reads to the end: what comes after `max` bytes is dropped. */
async function firstBytes(content: AsyncIterable<Buffer>, max: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    if (bytes < max) chunks.push(chunk.subarray(0, max - bytes));
    bytes += chunk.length;
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

/** Lines and counted bytes out of chunks. */
class OutputReader {
  readonly #output: AsyncGenerator<Buffer, void, undefined>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(output: AsyncGenerator<Buffer, void, undefined>) {
    this.#output = output;
  }

  /** Null at the end. */
  async line(): Promise<string | null> {
    for (;;) {
      const end = this.#rest.indexOf(LINE_FEED);
      if (end >= 0) {
        const line = this.#rest.toString("latin1", 0, end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      if (this.#rest.length > MAX_LINE_BYTES)
        throw new TypeError("git cat-file wrote a line that is too long.");
      const chunk = await this.#next();
      if (chunk === null) return null;
      this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    }
  }

  /** Some bytes, at most `max`. */
  async take(max: number): Promise<Buffer> {
    if (this.#rest.length === 0) {
      const chunk = await this.#next();
      if (chunk === null) throw new TypeError("git cat-file ended within an object.");
      this.#rest = chunk;
    }
    const taken = this.#rest.subarray(0, Math.min(max, MAX_WAITING_BYTES));
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  async close(): Promise<void> {
    await this.#output.return();
  }

  async #next(): Promise<Buffer | null> {
    for (;;) {
      const { value, done } = await this.#output.next();
      if (done === true) return null;
      if (value.length > 0) return value;
    }
  }
}

// The connection to a server through the pipes of its program: one message a line. What it writes is bounded.

import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { ProgramInput, ProgramOutput } from "../../../core/ports/sandbox.ts";

const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Of one run. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Servers greet on the wrong stream; one that goes on does not speak the protocol. */
const MAX_STRAY_LINES = 1_000;

export type Pipes = {
  readonly input: ProgramInput;
  readonly output: ProgramOutput;
  /** Resolves when the program has ended. Never rejects. */
  readonly ended: Promise<unknown>;
};

export class PipeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** By these two the SDK tells a program from a host: silence is an older server, not an outage. */
  readonly stderr = null;
  readonly pid = null;
  /** Why it was closed from this side; null where it was not. */
  fault: string | null = null;
  readonly #pipes: Pipes;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #bytes = 0;
  #strayLines = 0;
  #isClosed = false;

  constructor(pipes: Pipes) {
    this.#pipes = pipes;
  }

  async start(): Promise<void> {
    const { output, ended } = this.#pipes;
    output.on("data", (chunk: Buffer) => this.#take(chunk));
    output.on("error", () => undefined);
    void ended.then(() => this.#end());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed || this.#pipes.input.destroyed) throw new Error("The server has ended.");
    this.#pipes.input.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    this.#end();
  }

  #take(chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_BYTES) {
      this.#fail("it wrote more than 256 MB");
      return;
    }
    let rest = chunk;
    for (;;) {
      const at = rest.indexOf(0x0a);
      if (at < 0) break;
      const line = Buffer.concat([...this.#pending, rest.subarray(0, at)]);
      this.#pending = [];
      this.#pendingBytes = 0;
      rest = rest.subarray(at + 1);
      this.#read(line);
      if (this.#isClosed) return;
    }
    this.#pending.push(rest);
    this.#pendingBytes += rest.length;
    if (this.#pendingBytes > MAX_LINE_BYTES) this.#fail("it wrote a message of more than 8 MB");
  }

  #read(line: Buffer): void {
    const text = line.toString("utf8").trim();
    if (text === "") return;
    const message = decode(text);
    if (message !== null) {
      this.onmessage?.(message);
      return;
    }
    this.#strayLines += 1;
    if (this.#strayLines > MAX_STRAY_LINES) this.#fail("what it writes is no MCP");
  }

  #fail(why: string): void {
    this.fault = why;
    this.#end();
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pending = [];
    // What it still writes is not read.
    this.#pipes.output.destroy();
    this.#pipes.input.end();
    this.onclose?.();
  }
}

/** Null for a line that is no message. */
function decode(text: string): JSONRPCMessage | null {
  try {
    return deserializeMessage(text);
  } catch {
    return null;
  }
}

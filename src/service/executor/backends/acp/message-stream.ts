// JSON-RPC messages over an agent's standard input and output, one a line. If an agent writes anything else,
// the stream ends with a fault.

import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";

const LINE_FEED = 10;
const MAX_SHOWN_CHARS = 120;

export type StreamFault =
  | { readonly type: "ended" }
  | { readonly type: "line_too_long"; readonly maxBytes: number }
  /** The beginning of what it wrote. */
  | { readonly type: "not_a_message"; readonly text: string };

type MessageStreamOptions = {
  readonly input: Writable;
  readonly output: Readable;
  readonly maxLineBytes: number;
  /** Called with each message, in order; the agent waits as long as it does. True: nobody else needs the message. */
  readonly onMessage: (message: AnyMessage) => Promise<boolean>;
  /** Called once, when no message comes any more. */
  readonly onFault: (fault: StreamFault) => void;
};

export function messageStream(options: MessageStreamOptions): Stream {
  const { input } = options;
  const messages = readMessages(options);
  return {
    readable: new ReadableStream<AnyMessage>({
      pull: async (controller) => {
        const { done, value } = await messages.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
    }),
    writable: new WritableStream<AnyMessage>({
      write: async (message) => {
        if (!input.writable) return;
        const hasRoom = input.write(`${JSON.stringify(message)}\n`);
        if (!hasRoom) await Promise.race([once(input, "drain"), once(input, "close")]);
      },
    }),
  };
}

async function* readMessages(options: MessageStreamOptions): AsyncGenerator<AnyMessage, void> {
  const { onMessage, onFault, maxLineBytes } = options;
  try {
    for await (const line of readLines(options.output, maxLineBytes)) {
      if (line === null) return onFault({ type: "line_too_long", maxBytes: maxLineBytes });
      const text = line.toString("utf8").trim();
      if (text === "") continue;
      const message = asMessage(text);
      if (message === null) return onFault({ type: "not_a_message", text: text.slice(0, MAX_SHOWN_CHARS) });
      if (!(await onMessage(message))) yield message;
    }
  } catch {
    // A broken pipe is the end.
  }
  onFault({ type: "ended" });
}

/** Lines without their ends; null for one that is too long, and then no more. */
async function* readLines(output: Readable, maxBytes: number): AsyncGenerator<Buffer | null, void> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of output as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const rest = chunk.subarray(start, end);
      start = end + 1;
      if (length + rest.length > maxBytes) return yield null;
      yield parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
      parts = [];
      length = 0;
    }
    const begun = chunk.subarray(start);
    length += begun.length;
    if (length > maxBytes) return yield null;
    if (begun.length > 0) parts.push(begun);
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

function asMessage(text: string): AnyMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const isMessage = typeof value === "object" && value !== null && "jsonrpc" in value;
  // The SDK checks the members.
  return isMessage ? (value as AnyMessage) : null;
}

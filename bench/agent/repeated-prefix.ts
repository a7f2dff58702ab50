// How much of a request was sent before, from its beginning on: the part that a provider's cache of prefixes can answer from. Counted in
// bytes of what the model reads: its tools, its instructions, then its messages. Pure.

import { isObject } from "../../src/base/json.ts";

/** What the model reads before the first message, by the names of the four wires. */
const FIXED = ["model", "tools", "system", "instructions", "systemInstruction"];
const MESSAGES = ["messages", "input", "contents"];
/** A mark of where a cache may end, which moves on from request to request. */
const MARKS = new Set(["cache_control"]);

type Sent = { readonly fixed: string; readonly messages: readonly string[] };

export class SentRequests {
  readonly #earlier: Sent[] = [];

  /** Takes note of a request. Returns the bytes of it with which an earlier one begins as well. */
  next(body: string): number {
    const sent = sentOf(body);
    if (sent === null) return 0;
    const repeated = Math.max(0, ...this.#earlier.map((earlier) => repeatedBytes(earlier, sent)));
    this.#earlier.push(sent);
    return repeated;
  }
}

function repeatedBytes(earlier: Sent, sent: Sent): number {
  if (earlier.fixed !== sent.fixed) return 0;
  const differs = sent.messages.findIndex((message, at) => message !== earlier.messages[at]);
  const same = differs < 0 ? sent.messages : sent.messages.slice(0, differs);
  return [sent.fixed, ...same].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function sentOf(body: string): Sent | null {
  const parsed = parsedOf(body);
  if (!isObject(parsed)) return null;
  const of = (names: readonly string[]) =>
    Object.entries(parsed).filter(([name]) => names.includes(name)) as [string, unknown][];
  const list =
    of(MESSAGES)
      .map(([, value]) => value)
      .find((value) => Array.isArray(value)) ?? [];
  return { fixed: textOf(of(FIXED)), messages: (list as unknown[]).map(textOf) };
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => (MARKS.has(name) ? undefined : inner)) ?? "";
}

function parsedOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

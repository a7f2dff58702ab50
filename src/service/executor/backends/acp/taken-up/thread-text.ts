// What an agent has said and done in a run, as text for an agent that knows nothing of it. Bounded: of a long one the end is
// there. No I/O.

import type { RunEvent } from "../../../../../contract/runs/run-event.ts";

const MAX_CHARS = 40_000;
const MAX_SAID_CHARS = 4_000;
const MAX_ARGUMENTS_CHARS = 600;
const MAX_RESULT_CHARS = 1_000;
const CUT = "[What came before is left out.]";

type OpenCall = { readonly name: string; text: string };

export class ThreadText {
  readonly #parts: string[] = [];
  #chars = 0;
  #isCut = false;
  #said: string | null = null;
  readonly #calls = new Map<string, OpenCall>();

  /** `before` is that of an earlier worker. */
  constructor(before = "") {
    if (before !== "") this.#add(before);
  }

  /** With what is under way. */
  get text(): string {
    const said = this.#said === null ? [] : [saidText(this.#said)];
    const open = [...this.#calls.values()].map((call) => callText(call, "[Its result is not known.]"));
    return [...(this.#isCut ? [CUT] : []), ...this.#parts, ...said, ...open].join("\n\n");
  }

  add(event: RunEvent): void {
    switch (event.type) {
      case "TEXT_MESSAGE_START":
        this.#said = "";
        return;
      case "TEXT_MESSAGE_CONTENT":
        this.#said = bounded(`${this.#said ?? ""}${event.delta}`, MAX_SAID_CHARS);
        return;
      case "TEXT_MESSAGE_END":
        if (this.#said !== null) this.#add(saidText(this.#said));
        this.#said = null;
        return;
      case "TOOL_CALL_START":
        this.#calls.set(event.toolCallId, { name: event.toolCallName, text: "" });
        return;
      case "TOOL_CALL_ARGS": {
        const call = this.#calls.get(event.toolCallId);
        if (call !== undefined) call.text = bounded(call.text + event.delta, MAX_ARGUMENTS_CHARS);
        return;
      }
      case "TOOL_CALL_RESULT": {
        const call = this.#calls.get(event.toolCallId);
        if (call === undefined) return;
        this.#calls.delete(event.toolCallId);
        this.#add(callText(call, bounded(event.content, MAX_RESULT_CHARS)));
        return;
      }
      default:
    }
  }

  #add(part: string): void {
    this.#parts.push(part);
    this.#chars += part.length;
    while (this.#chars > MAX_CHARS && this.#parts.length > 1) {
      this.#chars -= this.#parts.shift()?.length ?? 0;
      this.#isCut = true;
    }
  }
}

function saidText(text: string): string {
  return `You said: ${text}`;
}

function callText({ name, text }: OpenCall, result: string): string {
  return `You called ${name} ${text}\nResult: ${result}`;
}

function bounded(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}

// The messages of a model request after its instructions: the session's history, the request, and every turn since. Grows
// turn by turn, and drops its oldest parts when there is no room left.

import type { ModelMessage, TextPart, ToolCallPart } from "ai";
import type { Message } from "../../../../contract/runs/run-requests.ts";
import { type KeptSize, lastingTexts, planIn, splitForSummary, summarised } from "./compaction.ts";
import { withoutImageParts } from "./image-messages.ts";
import { charsOf, isImage } from "./message-size.ts";

type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;
type ToolMessage = Extract<ModelMessage, { role: "tool" }>;

/** Results shorter than this are not worth removing. */
const LARGE_RESULT_CHARS = 500;
const LEAST_RESULT_CHARS = 1_000;
const REMOVED = "[result removed to save room]";
const GO_ON = "Go on.";
/** Trimmed to this share of the room, so that not every turn trims again and invalidates the provider's cache. */
const KEPT_SHARE = 0.75;

export class Conversation {
  #messages: ModelMessage[];
  /** The user's last request: never dropped. */
  #task: ModelMessage | undefined;
  /** What is said again after every summary. */
  #plan: string | null = null;
  #lasting: () => readonly string[] = () => [];

  constructor(messages: readonly ModelMessage[]) {
    this.#messages = [...messages];
    this.#task = messages.findLast(({ role }) => role === "user");
  }

  /** The same messages, to which others can be added. */
  copy(): Conversation {
    const copy = new Conversation(this.#messages);
    copy.#task = this.#task;
    copy.#lasting = this.#lasting;
    return copy;
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  get chars(): number {
    return this.#messages.reduce((sum, message) => sum + charsOf(message), 0);
  }

  add(...messages: readonly ModelMessage[]): void {
    this.#messages.push(...messages);
  }

  say(content: string): void {
    this.add({ role: "user", content });
  }

  /** What the user's last request is about, told before it. */
  sayBefore(content: string): void {
    const at = this.#task === undefined ? -1 : this.#messages.indexOf(this.#task);
    this.#messages.splice(at < 0 ? this.#messages.length : at, 0, { role: "user", content });
  }

  /** Texts that every summary is followed by, as far as they fit, the most important first. */
  repeatAfterSummaries(texts: () => readonly string[]): void {
    this.#lasting = texts;
  }

  /** Whether a summary would make room. */
  canBeSummarised(size: KeptSize): boolean {
    return splitForSummary(this.#messages, { ...size, task: this.#task }) !== null;
  }

  /** Puts the summary in the place of what is older than the latest turns. False, and nothing is changed, where that saves no room. */
  replaceBySummary(text: string, size: KeptSize): boolean {
    const split = splitForSummary(this.#messages, { ...size, task: this.#task });
    if (split === null) return false;
    const plan = planIn(this.#messages) ?? this.#plan;
    const lasting = lastingTexts(this.#lasting(), { recent: split.recent, maxChars: size.keptChars });
    const messages = summarised({ ...split, text, plan, lasting });
    if (messages.reduce((sum, message) => sum + charsOf(message), 0) >= this.chars) return false;
    this.#task = split.task;
    this.#plan = plan;
    this.#messages = [...messages];
    return true;
  }

  /** Removes what only the model that wrote it can read: its thoughts, and the signatures by which its API knows them. */
  forgetThoughts(): void {
    this.#messages = this.#messages.flatMap((message) =>
      message.role === "assistant" ? withoutThoughts(message) : [message],
    );
  }

  /** Puts words in the place of every image. False where there is none. */
  replaceImages(words: string): boolean {
    const lighter = this.#messages.map((message) => withoutImageParts(message, words));
    const hasAny = lighter.some((message, at) => message !== this.#messages[at]);
    this.#messages = lighter;
    return hasAny;
  }

  /** Trims to fit: first old results, then whole old turns, then the end of the newest message. */
  fit(roomChars: number): void {
    if (this.chars <= roomChars) return;
    const wanted = roomChars * KEPT_SHARE;
    this.#removeResults(wanted);
    this.#dropTurns(wanted);
    if (this.chars > roomChars) this.#clipLastResults(roomChars);
  }

  #removeResults(wanted: number): void {
    const lastTurn = this.#turnStarts().at(-1) ?? 0;
    let chars = this.chars;
    for (const [at, message] of this.#messages.entries()) {
      if (chars <= wanted || at >= lastTurn) return;
      if (message.role === "user") {
        const lighter = withoutImageParts(message, REMOVED);
        chars -= charsOf(message) - charsOf(lighter);
        this.#messages[at] = lighter;
      }
      if (message.role !== "tool") continue;
      const lighter = withResults(withoutImages(message), (text) =>
        text.length > LARGE_RESULT_CHARS ? REMOVED : text,
      );
      chars -= charsOf(message) - charsOf(lighter);
      this.#messages[at] = lighter;
    }
  }

  /** A turn is an answer together with the results of its calls, so that no call is left without a result. */
  #dropTurns(wanted: number): void {
    const starts = this.#turnStarts();
    let chars = this.chars;
    const kept: ModelMessage[] = [];
    for (const [turn, start] of starts.entries()) {
      const messages = this.#messages.slice(start, starts[turn + 1]);
      const isLast = turn === starts.length - 1;
      // Every API wants a conversation to begin with the user.
      const isStray = kept.length === 0 && turn > 0 && messages[0]?.role !== "user";
      const mayGo = !isLast && !(this.#task !== undefined && messages.includes(this.#task));
      if (mayGo && (chars > wanted || isStray)) {
        chars -= messages.reduce((sum, message) => sum + charsOf(message), 0);
      } else kept.push(...messages);
    }
    this.#messages = kept;
  }

  #clipLastResults(roomChars: number): void {
    const at = this.#messages.findLastIndex(({ role }) => role === "tool");
    const message = this.#messages[at];
    if (message?.role !== "tool") return;
    const others = this.chars - charsOf(message);
    const each = Math.max(
      LEAST_RESULT_CHARS,
      Math.floor((roomChars - others) / message.content.length) - 500,
    );
    this.#messages[at] = withResults(message, (text) =>
      text.length > each ? `${text.slice(0, each)}\n[cut to save room]` : text,
    );
  }

  #turnStarts(): number[] {
    return this.#messages.flatMap(({ role }, at) => (role === "tool" ? [] : [at]));
  }
}

/** What another model's API understands of an answer; nothing where that is nothing. */
function withoutThoughts({ content }: AssistantMessage): ModelMessage[] {
  if (typeof content === "string") return [{ role: "assistant", content }];
  const parts = content.flatMap((part): (TextPart | ToolCallPart)[] => {
    switch (part.type) {
      case "text":
        return [{ type: part.type, text: part.text }];
      case "tool-call": {
        const { type, toolCallId, toolName, input } = part;
        return [{ type, toolCallId, toolName, input }];
      }
      default:
        return [];
    }
  });
  return parts.length === 0 ? [] : [{ role: "assistant", content: parts }];
}

/** A request's messages and those of its session as a model takes them, and what the caller says as `system`. */
export function openConversation(told: readonly Message[]): {
  readonly system: readonly string[];
  readonly messages: readonly ModelMessage[];
} {
  const system = told.flatMap(({ role, content }) => (role === "system" && content !== "" ? [content] : []));
  const messages = told.flatMap(toModelMessage);
  if (messages[0]?.role === "assistant") messages.unshift({ role: "user", content: GO_ON });
  if (messages.at(-1)?.role !== "user") messages.push({ role: "user", content: GO_ON });
  return { system, messages };
}

function toModelMessage({ role, content, tool_call_id: callId, parts = [] }: Message): ModelMessage[] {
  // A part's bytes are not sent: the model is told its path and type, and has tools to read it.
  const notes = parts
    .filter(({ type, path }) => type !== "text" || path !== undefined)
    .map(
      ({ type, path = "", mime = "" }) =>
        `[${type}: ${[path, mime].filter((some) => some !== "").join(", ")}]`,
    );
  const text = [content, ...notes].filter((some) => some !== "").join("\n");
  if (text === "" || role === "system") return [];
  if (role === "assistant") return [{ role, content: text }];
  // Its call is not in this request, and no API accepts a result without a call.
  if (role === "tool")
    return [{ role: "user", content: `[Result of the tool call ${callId ?? ""}]\n${text}` }];
  return [{ role, content: text }];
}

/** The end of a conversation as plain text, for a model that is asked about it. */
export function summarise(messages: readonly ModelMessage[], maxChars: number): string {
  const lines = messages.flatMap(describe);
  const kept: string[] = [];
  let chars = 0;
  for (const line of lines.toReversed()) {
    chars += line.length + 1;
    if (chars > maxChars) break;
    kept.unshift(line);
  }
  return kept.length < lines.length ? ["[earlier parts left out]", ...kept].join("\n") : kept.join("\n");
}

const MAX_PART_CHARS = 2_000;

function describe({ role, content }: ModelMessage): string[] {
  if (typeof content === "string") return [`${role}: ${clip(content)}`];
  return content.flatMap((part) => {
    if (part.type === "text") return [`${role}: ${clip(part.text)}`];
    if (part.type === "tool-call")
      return [`${role} calls ${part.toolName} ${clip(JSON.stringify(part.input) ?? "")}`];
    if (part.type === "tool-result") return [`${part.toolName} answers: ${clip(resultText(part.output))}`];
    return [];
  });
}

function clip(text: string): string {
  return text.length > MAX_PART_CHARS ? `${text.slice(0, MAX_PART_CHARS)}…` : text;
}

type ToolOutput = Extract<ToolMessage["content"][number], { type: "tool-result" }>["output"];

function resultText(output: ToolOutput): string {
  return output.type === "text" || output.type === "error-text" ? output.value : "";
}

/** Images of results are the largest part of them. */
function withoutImages(message: ToolMessage): ToolMessage {
  return {
    ...message,
    content: message.content.map((part) => {
      if (part.type !== "tool-result" || part.output.type !== "content") return part;
      const value = part.output.value.map((some) =>
        isImage(some) ? { type: "text" as const, text: REMOVED } : some,
      );
      return { ...part, output: { ...part.output, value } };
    }),
  };
}

function withResults(message: ToolMessage, change: (text: string) => string): ToolMessage {
  return {
    ...message,
    content: message.content.map((part) => {
      if (part.type !== "tool-result") return part;
      const { output } = part;
      if (output.type !== "text" && output.type !== "error-text") return part;
      return { ...part, output: { ...output, value: change(output.value) } };
    }),
  };
}

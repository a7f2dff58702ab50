// The conversation of a model request after its instructions: the session's history, the request, and every turn since. Grows
// turn by turn; where there is no room left, its older part is replaced by a summary, or trimmed.

import type { ModelMessage } from "ai";
import type { Message } from "../../../../contract/runs/run-requests.ts";
import { type KeptSize, lastingTexts, planIn, splitForSummary, summarised } from "./compaction.ts";
import { withoutImageParts } from "./image-messages.ts";
import type { ConversationState } from "./loop-state.ts";
import { SentHistory } from "./sent-history.ts";
import { sumOfChars, trimmed } from "./trimming.ts";

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;

const GO_ON = "Go on.";

export class Conversation {
  #history: SentHistory;
  /** The user's last request: never dropped. */
  #task: ModelMessage | undefined;
  /** The plan, which is said again after every summary. */
  #plan: string | null = null;
  #lasting: () => readonly string[] = () => [];

  constructor(messages: readonly ModelMessage[]) {
    this.#history = new SentHistory(messages);
    this.#task = messages.findLast(({ role }) => role === "user");
  }

  /** As another worker has left it. */
  static resume(messages: readonly ModelMessage[], { plan, task, ...sent }: ConversationState): Conversation {
    const conversation = new Conversation([]);
    conversation.#history = SentHistory.resume(messages, sent);
    conversation.#task = messages[task];
    conversation.#plan = plan;
    return conversation;
  }

  get state(): ConversationState {
    const task = this.#task === undefined ? -1 : this.messages.indexOf(this.#task);
    return { ...this.#history.state, plan: this.#plan, task };
  }

  /** The same messages, to which others can be added. */
  copy(): Conversation {
    const copy = new Conversation([]);
    copy.#history = this.#history.copy();
    copy.#task = this.#task;
    copy.#lasting = this.#lasting;
    return copy;
  }

  get messages(): readonly ModelMessage[] {
    return this.#history.messages;
  }

  get chars(): number {
    return sumOfChars(this.messages);
  }

  add(...messages: readonly ModelMessage[]): void {
    this.#history.append(...messages);
  }

  say(content: string): void {
    this.add({ role: "user", content });
  }

  /** Says the subject of the user's last request before it. */
  sayBefore(content: string): void {
    const at = this.#task === undefined ? -1 : this.messages.indexOf(this.#task);
    const message: ModelMessage = { role: "user", content };
    this.#history.rewrite(this.messages.toSpliced(at < 0 ? this.messages.length : at, 0, message));
  }

  /** Texts that every summary is followed by, as far as they fit, the most important first. */
  repeatAfterSummaries(texts: () => readonly string[]): void {
    this.#lasting = texts;
  }

  /** Whether a summary would make room. */
  canBeSummarised(size: KeptSize): boolean {
    return splitForSummary(this.messages, { ...size, task: this.#task }) !== null;
  }

  /** Puts the summary in the place of what is older than the latest turns. False, and nothing is changed, where that saves no room. */
  replaceBySummary(text: string, size: KeptSize): boolean {
    const split = splitForSummary(this.messages, { ...size, task: this.#task });
    if (split === null) return false;
    const plan = planIn(this.messages) ?? this.#plan;
    const lasting = lastingTexts(this.#lasting(), { recent: split.recent, maxChars: size.keptChars });
    const messages = summarised({ ...split, text, plan, lasting });
    if (sumOfChars(messages) >= this.chars) return false;
    this.#task = split.task;
    this.#plan = plan;
    this.#history.rewrite(messages);
    return true;
  }

  /** Whoever reads it next: thoughts are read only by the model that has written them. */
  readBy(modelId: string): void {
    this.#history.readBy(modelId);
  }

  /** Removes the thoughts that an API has refused, with all that is bound to them. False where there are none. */
  forgetRefusedThoughts(): boolean {
    return this.#history.forgetRefused();
  }

  /** Puts words in the place of every image. False where there is none. */
  replaceImages(words: string): boolean {
    const lighter = this.messages.map((message) => withoutImageParts(message, words));
    const hasAny = lighter.some((message, at) => message !== this.messages[at]);
    if (hasAny) this.#history.rewrite(lighter);
    return hasAny;
  }

  /** Trims to fit, which is a compaction as a summary is. */
  fit(roomChars: number): void {
    const { messages } = this;
    const fitting = trimmed(messages, { roomChars, task: this.#task });
    if (fitting !== messages) this.#history.rewrite(fitting);
  }
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
  // Anthropic refuses a message of white space.
  if (text.trim() === "" || role === "system") return [];
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

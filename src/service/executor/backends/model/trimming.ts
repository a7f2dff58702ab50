// Trims a conversation to the room that there is: first thoughts that hold only for what came before them, then old results, then
// whole old turns, then the end of the newest results. Pure.

import type { ModelMessage } from "ai";
import { withoutImageParts } from "./image-messages.ts";
import { charsOf, isImage } from "./message-size.ts";
import { withoutBoundThoughts } from "./thoughts.ts";

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;

/** Results shorter than this are not worth removing. */
const LARGE_RESULT_CHARS = 500;
const LEAST_RESULT_CHARS = 1_000;
const REMOVED = "[result removed to save room]";
/** Trimmed to this share of the room, so that not every turn trims again and invalidates the provider's cache. */
const KEPT_SHARE = 0.75;

type Room = {
  readonly roomChars: number;
  /** Never dropped. */
  readonly task: ModelMessage | undefined;
};

/** The same messages where they fit. */
export function trimmed(
  messages: readonly ModelMessage[],
  { roomChars, task }: Room,
): readonly ModelMessage[] {
  if (sumOfChars(messages) <= roomChars) return messages;
  const wanted = roomChars * KEPT_SHARE;
  const lighter = withoutOldResults(messages.flatMap(withoutBoundThoughts), wanted);
  const kept = withoutOldTurns(lighter, { wanted, task });
  return sumOfChars(kept) > roomChars ? withClippedResults(kept, roomChars) : kept;
}

/** The size of messages in a model's window, in characters. */
export function sumOfChars(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + charsOf(message), 0);
}

function withoutOldResults(messages: readonly ModelMessage[], wanted: number): readonly ModelMessage[] {
  const lastTurn = turnStarts(messages).at(-1) ?? 0;
  let chars = sumOfChars(messages);
  return messages.map((message, at) => {
    if (chars <= wanted || at >= lastTurn) return message;
    const lighter = withoutResults(message);
    chars -= charsOf(message) - charsOf(lighter);
    return lighter;
  });
}

function withoutResults(message: ModelMessage): ModelMessage {
  if (message.role === "user") return withoutImageParts(message, REMOVED);
  if (message.role !== "tool") return message;
  const lighter = withResults(withoutImages(message), (text) =>
    text.length > LARGE_RESULT_CHARS ? REMOVED : text,
  );
  return charsOf(lighter) === charsOf(message) ? message : lighter;
}

/** A turn is an answer together with the results of its calls, so that no call is left without a result. */
function withoutOldTurns(
  messages: readonly ModelMessage[],
  { wanted, task }: { readonly wanted: number; readonly task: ModelMessage | undefined },
): readonly ModelMessage[] {
  const starts = turnStarts(messages);
  let chars = sumOfChars(messages);
  const kept: ModelMessage[] = [];
  for (const [turn, start] of starts.entries()) {
    const said = messages.slice(start, starts[turn + 1]);
    const isLast = turn === starts.length - 1;
    // Every API wants a conversation to begin with the user.
    const isStray = kept.length === 0 && turn > 0 && said[0]?.role !== "user";
    const mayGo = !isLast && !(task !== undefined && said.includes(task));
    if (mayGo && (chars > wanted || isStray)) chars -= sumOfChars(said);
    else kept.push(...said);
  }
  return kept;
}

function withClippedResults(messages: readonly ModelMessage[], roomChars: number): readonly ModelMessage[] {
  const at = messages.findLastIndex(({ role }) => role === "tool");
  const message = messages[at];
  if (message?.role !== "tool") return messages;
  const others = sumOfChars(messages) - charsOf(message);
  const each = Math.max(LEAST_RESULT_CHARS, Math.floor((roomChars - others) / message.content.length) - 500);
  const clipped = withResults(message, (text) =>
    text.length > each ? `${text.slice(0, each)}\n[cut to save room]` : text,
  );
  return messages.with(at, clipped);
}

function turnStarts(messages: readonly ModelMessage[]): number[] {
  return messages.flatMap(({ role }, at) => (role === "tool" ? [] : [at]));
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

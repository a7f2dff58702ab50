// Replaces the older part of a conversation by a summary that the model itself writes. Pure.
// Why: docs/decisions/050-compaction.md

import type { ModelMessage } from "ai";
import { charsOf } from "./message-size.ts";

/** Of the window: a conversation that takes more is summarised. */
export const DUE_SHARE = 0.75;
/** Of the window: what the latest turns may take that stay as they are. */
export const KEPT_SHARE = 0.15;
/** Of the window: what the user's request may take before its middle is left out. */
export const TASK_SHARE = 0.25;
/** Of the conversation: less is not worth a request for its summary. */
const LEAST_REMOVED_SHARE = 0.3;
const MAX_SUMMARY_CHARS = 32_000;
const PLAN_TOOL = "update_plan";

/** Asks the model for the summary, as the last message of the conversation. */
export const SUMMARY_REQUEST = `[The conversation is about to be cut to save room. Write the summary that you go on from: all that is not in it is forgotten, except the user's request, which stays, and the latest turns. Call no tool. Use these headings:
## Goal
What is to be reached, and how it is known to be reached.
## Instructions
What the user, or the repository's rules that you read, said to do or not to do. Quote what matters word for word.
## Discoveries
Facts that cost work to find: how things hang together, causes, what failed and why, exact error messages, commands that work.
## Done
What is finished, which files were changed and how, which tests were executed with which result.
## Files
The paths that matter, each with what it is for.
## Next
What is under way, and the next steps in order.
Be exact and brief. Claim nothing that you did not see.]`;

const INTRODUCTION =
  "[The conversation before this point was cut to save room. This is your own summary of it. Read a file again before you rely on its text.]";

/** The size of messages that may stay beside the summary. */
export type KeptSize = {
  /** Of the latest turns. */
  readonly keptChars: number;
  /** Of the user's request. */
  readonly maxTaskChars: number;
};

type Split = {
  /** The user's request, word for word unless it is too large. */
  readonly task: ModelMessage | undefined;
  /** Whole turns: no call without its result. */
  readonly recent: readonly ModelMessage[];
};

/** Messages that stay beside a summary. Null where too little would go. */
export function splitForSummary(
  messages: readonly ModelMessage[],
  { task, keptChars, maxTaskChars }: KeptSize & { readonly task: ModelMessage | undefined },
): Split | null {
  const starts = messages.flatMap(({ role }, at) => (role === "tool" ? [] : [at]));
  let from = starts.pop() ?? 0;
  let kept = sumOf(messages.slice(from));
  for (const start of starts.toReversed()) {
    const chars = sumOf(messages.slice(start, from));
    if (kept + chars > keptChars) break;
    kept += chars;
    from = start;
  }
  const split = {
    task: boundedTask(task, maxTaskChars),
    recent: messages.slice(from).filter((message) => message !== task),
  };
  const all = sumOf(messages);
  const staying = sumOf(split.recent) + (split.task === undefined ? 0 : charsOf(split.task));
  return all - staying < LEAST_REMOVED_SHARE * all ? null : split;
}

type Summary = Split & {
  readonly text: string;
  /** As the model last showed it to people; it holds whatever the summary says. Null: it made none. */
  readonly plan: string | null;
  /** Said again word for word. */
  readonly lasting: readonly string[];
};

/** The conversation that goes on: the user's request, the summary, the latest turns. */
export function summarised({ task, text, plan, lasting, recent }: Summary): readonly ModelMessage[] {
  const summary = `${INTRODUCTION}\n<summary>\n${text.slice(0, MAX_SUMMARY_CHARS)}\n</summary>`;
  const parts = [
    summary,
    ...(plan === null ? [] : [`[Your plan, as you last showed it: ${plan}]`]),
    ...lasting,
  ];
  return [...(task === undefined ? [] : [task]), { role: "user", content: parts.join("\n\n") }, ...recent];
}

/** Those of `texts` that fit together, from the first, and that the latest turns do not hold anyway. */
export function lastingTexts(
  texts: readonly string[],
  { recent, maxChars }: { readonly recent: readonly ModelMessage[]; readonly maxChars: number },
): readonly string[] {
  const held = JSON.stringify(recent);
  let room = maxChars;
  return texts.filter((text) => {
    const isHeld = held.includes(JSON.stringify(text).slice(1, -1));
    if (isHeld || text.length > room) return false;
    room -= text.length;
    return true;
  });
}

/** The input of the last call that showed a plan, as JSON; null where there is none. */
export function planIn(messages: readonly ModelMessage[]): string | null {
  const calls = messages.flatMap(({ role, content }) =>
    role === "assistant" && typeof content !== "string" ? content : [],
  );
  const last = calls.findLast((part) => part.type === "tool-call" && part.toolName === PLAN_TOOL);
  return last?.type === "tool-call" ? JSON.stringify(last.input) : null;
}

/** The request, without its middle where it is longer than `maxChars`. */
function boundedTask(task: ModelMessage | undefined, maxChars: number): ModelMessage | undefined {
  if (task?.role !== "user" || charsOf(task) <= maxChars) return task;
  const { content } = task;
  if (typeof content === "string") return { ...task, content: withoutMiddle(content, maxChars) };
  const texts = content.filter(({ type }) => type === "text").length;
  const each = Math.floor(maxChars / Math.max(1, texts));
  return {
    ...task,
    content: content.map((part) =>
      part.type === "text" ? { ...part, text: withoutMiddle(part.text, each) } : part,
    ),
  };
}

function withoutMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters are left out here …]\n${text.slice(-half)}`;
}

function sumOf(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + charsOf(message), 0);
}

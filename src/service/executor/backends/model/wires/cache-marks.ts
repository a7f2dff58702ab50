// Marks where the provider's prompt cache may begin: after the instructions, and after the newest messages, so that a later
// request finds what this one has written. For models of Anthropic, whose cache is off without marks. Pure.
// https://platform.claude.com/docs/en/build-with-claude/prompt-caching (four marks at most),
// https://openrouter.ai/docs/guides/best-practices/prompt-caching, looked up on 2026-11-22.

import { type Body, isObject, type Json } from "./body.ts";

const MARK: Body = { cache_control: { type: "ephemeral" } };
/** A cache is looked for some twenty blocks back, and a turn may have many. */
const MARKED_MESSAGES = 2;
/** Blocks that cannot be marked. */
const UNMARKED = ["thinking", "redacted_thinking"];

/** A body of Anthropic's Messages. */
export function markMessages(body: Body): Body {
  const { system, messages } = body;
  const marked = system === undefined ? body : { ...body, system: marking(system) };
  return { ...marked, messages: markNewest(messages ?? [], () => true) };
}

/** A body of Chat Completions, as servers take it that pass it on to Anthropic. */
export function markChat(body: Body): Body {
  const turns = Array.isArray(body.messages) ? body.messages : [];
  const told = turns.map((turn) => (isTold(turn) ? { ...turn, content: marking(turn.content ?? "") } : turn));
  return { ...body, messages: markNewest(told, (turn) => turn.role !== "assistant" && !isTold(turn)) };
}

function isTold(turn: Json): turn is Body {
  return isObject(turn) && (turn.role === "system" || turn.role === "developer");
}

function markNewest(messages: Json, mayMark: (message: Body) => boolean): Json {
  if (!Array.isArray(messages)) return messages;
  const places = messages
    .flatMap((message, at) => (isObject(message) && mayMark(message) ? [at] : []))
    .slice(-MARKED_MESSAGES);
  return messages.map((message, at) =>
    places.includes(at) && isObject(message) && message.content != null
      ? { ...message, content: marking(message.content) }
      : message,
  );
}

/** The content with its last block marked. */
function marking(content: Json): Json {
  if (typeof content === "string") return content === "" ? "" : [{ type: "text", text: content, ...MARK }];
  if (!Array.isArray(content)) return content;
  const last = content.findLastIndex(
    (block) => isObject(block) && !UNMARKED.includes(String(block.type)) && block.text !== "",
  );
  return content.map((block, at) => (at === last && isObject(block) ? { ...block, ...MARK } : block));
}

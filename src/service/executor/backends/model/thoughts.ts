// The thoughts in an answer, as they go back with the history, and the rest of an answer without them. Pure. A thought may be
// bound to its API: signed, encrypted, or known by an id. Others are plain text, and some servers of Chat Completions refuse
// calls without them (DeepSeek, Moonshot; looked up on 2026-11-23).

import type { ModelMessage, TextPart, ToolCallPart } from "ai";
import { holdsDetails } from "./wires/chat-thoughts.ts";

type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;
type Part = Exclude<AssistantMessage["content"], string>[number];

/** The part of an answer that goes into the history: no API takes a thought that leads to nothing, nor an answer without a word. */
export function spokenOf(message: ModelMessage): ModelMessage[] {
  if (message.role !== "assistant") return [message];
  const { content } = message;
  if (typeof content === "string") return content.trim() === "" ? [] : [message];
  const kept = content.filter((part) => part.type !== "text" || part.text !== "");
  const end = kept.findLastIndex(isSpoken) + 1;
  return end === 0
    ? []
    : [{ ...message, content: kept.filter((part, at) => at < end || holdsDetails(part)) }];
}

/** The part of a message that any model's API takes. The same message where that is all of it. */
export function withoutThoughts(message: ModelMessage): ModelMessage[] {
  if (message.role !== "assistant") return [message];
  const { content } = message;
  if (typeof content === "string") return [message];
  if (!content.some((part) => part.type === "reasoning" || isBound(part))) return [message];
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

/** The same for messages that have a part bound to their API; others keep their thoughts. */
export function withoutBoundThoughts(message: ModelMessage): ModelMessage[] {
  const isBoundHere =
    message.role === "assistant" && typeof message.content !== "string" && message.content.some(isBound);
  return isBoundHere ? withoutThoughts(message) : [message];
}

function isSpoken(part: Part): boolean {
  return part.type === "tool-call" || (part.type === "text" && part.text.trim() !== "");
}

/** Signatures, encrypted contents and ids are the provider's options of a part. */
function isBound(part: Part): boolean {
  return "providerOptions" in part && Object.keys(part.providerOptions ?? {}).length > 0;
}

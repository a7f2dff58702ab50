// Anthropic's Messages. https://platform.claude.com/docs/en/api/messages, looked up on 2026-11-22.

import { createAnthropic } from "@ai-sdk/anthropic";
import { isAt } from "../../../../../contract/models/providers.ts";
import { type Body, dropAt, isObject, textAt } from "./body.ts";
import { markMessages } from "./cache-marks.ts";
import type { Wire } from "./wire.ts";

/** Anthropic marks the cache by itself where the request asks for it; servers that speak its protocol know only marks. */
function marksByItself(baseUrl: string): boolean {
  return isAt("anthropic", baseUrl);
}

export const anthropic: Wire = {
  open: ({ modelId, baseUrl, apiKey, effort, fetch: fetchIt }) => {
    // Without a key of ours the SDK would look for one in the environment.
    const provider = createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? "", fetch: fetchIt });
    const cacheControl = marksByItself(baseUrl) ? { cacheControl: { type: "ephemeral" } } : {};
    return { model: provider(modelId), providerOptions: { anthropic: cacheControl }, effort };
  },
  finish: ({ baseUrl }) => {
    const mark = marksByItself(baseUrl) ? (body: Body) => body : markMessages;
    return (body) => mark(thinkingAsBefore(body));
  },
};

/**
 * Models before Claude 4.6 are told how much to think, and then refuse a call that no thought precedes, as it is left by a
 * compaction: they go on without thinking. Later models think as they like, and ask for no thought.
 * https://platform.claude.com/docs/build-with-claude/extended-thinking, looked up on 2026-11-23.
 */
function thinkingAsBefore(body: Body): Body {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
  const last = messages.findLast(({ role }) => role === "assistant");
  const blocks = last !== undefined && Array.isArray(last.content) ? last.content.filter(isObject) : [];
  const hasCall = blocks.some(({ type }) => type === "tool_use");
  const hasThought = /^(?:redacted_)?thinking$/.test(String(blocks[0]?.type));
  return textAt(body, "thinking.type") === "enabled" && hasCall && !hasThought
    ? dropAt(body, "thinking")
    : body;
}

// Anthropic's Messages. https://platform.claude.com/docs/en/api/messages, looked up on 2026-11-22.

import { createAnthropic } from "@ai-sdk/anthropic";
import { isAt } from "../../../../../contract/models/providers.ts";
import { type Body, dropAt, isObject, numberAt, textAt } from "./body.ts";
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
  finish: ({ modelId, baseUrl, effort }) => {
    const mark = marksByItself(baseUrl) ? (body: Body) => body : markMessages;
    const think = effort === null ? thinkingOf(modelId) : (body: Body) => body;
    return (body) => mark(thinkingAsBefore(think(body)));
  },
};

/** Anthropic takes no smaller budget. */
const LEAST_THINKING_TOKENS = 1_024;

/**
 * Has Claude 4 think, which does not unless it is asked to; Claude Code asks it to, and later models think by themselves. Since 4.6 the
 * model decides how much; before, thoughts get half of the tokens of an answer, and not more tokens, since their price is held.
 * https://platform.claude.com/docs/build-with-claude/adaptive-thinking, looked up on 2026-11-27.
 */
function thinkingOf(modelId: string): (body: Body) => Body {
  const version = /claude-(?:opus|sonnet|haiku)-4(?:[-.](\d))?(?!\d)/.exec(modelId);
  if (version === null) return (body) => body;
  const minor = version[1] ?? "0";
  if (Number(minor) >= 6) return (body) => ({ thinking: { type: "adaptive" }, ...body });
  return (body) => {
    const budget = Math.floor((numberAt(body, "max_tokens") ?? 0) / 2);
    if (budget < LEAST_THINKING_TOKENS) return body;
    return { thinking: { type: "enabled", budget_tokens: budget }, ...body };
  };
}

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

// OpenAI's Chat Completions, as its API and the many that imitate it speak it: OpenRouter, gateways, vLLM, llama.cpp, Ollama.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Effort } from "../../../../../contract/models/protocols.ts";
import { isAt } from "../../../../../contract/models/providers.ts";
import { type Body, isObject, type Json } from "./body.ts";
import { markChat } from "./cache-marks.ts";
import { detailsExtractor, withThoughts } from "./chat-thoughts.ts";
import type { Wire } from "./wire.ts";

export const chat: Wire = {
  open: ({ modelId, baseUrl, apiKey, effort, cacheKey, fetch: fetchIt }) => {
    const provider = createOpenAICompatible({
      name: "model",
      baseURL: baseUrl,
      ...(apiKey === null ? {} : { apiKey }),
      includeUsage: true,
      fetch: fetchIt,
      metadataExtractor: detailsExtractor(),
      convertUsage: (usage) => usageOf(usage as Json),
    });
    const options = isAt("openai", baseUrl) ? { prompt_cache_key: cacheKey } : {};
    return {
      model: withThoughts(provider(modelId)),
      providerOptions: { model: options },
      // More than "high" is a word of few servers.
      effort: effort === "max" ? "high" : effort,
    };
  },
  finish: ({ modelId, baseUrl, effort }) => {
    const changes = [
      ...(/\bclaude\b/i.test(modelId) ? [markChat] : []),
      ...(effort !== null && isAt("openrouter", baseUrl) ? [openRouterEffort(effort)] : []),
    ];
    return changes.length === 0 ? null : (body) => changes.reduce((changed, change) => change(changed), body);
  },
};

/** https://openrouter.ai/docs/guides/best-practices/reasoning-tokens, looked up on 2026-11-22. */
function openRouterEffort(effort: Effort): (body: Body) => Body {
  return ({ reasoning_effort: _, ...body }) => ({ ...body, reasoning: { effort } });
}

/**
 * Tokens, and those of the provider's cache under the names that servers have for them: OpenAI's, DeepSeek's, Moonshot's,
 * OpenRouter's and LiteLLM's. Looked up on 2026-11-22.
 */
function usageOf(reported: Json) {
  const usage = isObject(reported) ? reported : {};
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const outDetails = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const cacheRead = firstNumber(
    details.cached_tokens,
    usage.cache_read_input_tokens,
    usage.prompt_cache_hit_tokens,
    usage.cached_tokens,
  );
  const cacheWrite = firstNumber(
    details.cache_write_tokens,
    usage.cache_creation_input_tokens,
    details.cache_creation_tokens,
  );
  const total = firstNumber(usage.prompt_tokens);
  const output = firstNumber(usage.completion_tokens);
  const reasoning = firstNumber(outDetails.reasoning_tokens);
  return {
    inputTokens: {
      total,
      noCache: total === undefined ? undefined : total - (cacheRead ?? 0),
      cacheRead,
      cacheWrite,
    },
    outputTokens: {
      total: output,
      text: output === undefined ? undefined : Math.max(0, output - (reasoning ?? 0)),
      reasoning,
    },
  };
}

/** Some servers report 0 under one name and the number under another. */
function firstNumber(...values: readonly (Json | undefined)[]): number | undefined {
  const numbers = values.filter((value) => typeof value === "number");
  return numbers.find((value) => value > 0) ?? numbers[0];
}

// Anthropic's Messages. https://platform.claude.com/docs/en/api/messages, looked up on 2026-11-22.

import { createAnthropic } from "@ai-sdk/anthropic";
import { markMessages } from "./cache-marks.ts";
import type { Wire } from "./wire.ts";

export const ANTHROPIC_HOST = "api.anthropic.com";

/** Anthropic marks the cache by itself where the request asks for it; servers that speak its protocol know only marks. */
function marksByItself(baseUrl: string): boolean {
  return new URL(baseUrl).hostname === ANTHROPIC_HOST;
}

export const anthropic: Wire = {
  open: ({ modelId, baseUrl, apiKey, effort, fetch: fetchIt }) => {
    // Without a key of ours the SDK would look for one in the environment.
    const provider = createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? "", fetch: fetchIt });
    const cacheControl = marksByItself(baseUrl) ? { cacheControl: { type: "ephemeral" } } : {};
    return { model: provider(modelId), providerOptions: { anthropic: cacheControl }, effort };
  },
  finish: ({ baseUrl }) => (marksByItself(baseUrl) ? null : markMessages),
};

// OpenAI's Responses API. Nothing is stored there: its reasoning comes encrypted and goes back with the history.
// https://developers.openai.com/api/docs/guides/reasoning, looked up on 2026-11-22.

import { createOpenAI } from "@ai-sdk/openai";
import type { Wire } from "./wire.ts";

/** Models that do not reason. */
const isOlder = /^(?:ft:)?(?:gpt-[34]|chatgpt-)|-chat-latest$/;

export const responses: Wire = {
  open: ({ modelId, baseUrl, apiKey, effort, cacheKey, fetch: fetchIt }) => {
    // Without a key of ours the SDK would look for one in the environment.
    const provider = createOpenAI({ baseURL: baseUrl, apiKey: apiKey ?? "", fetch: fetchIt });
    return {
      model: provider.responses(modelId),
      providerOptions: {
        openai: {
          store: false,
          promptCacheKey: cacheKey,
          reasoningSummary: "auto",
          // The SDK knows the names of today's models: one that it does not know is asked like a new one.
          ...(isOlder.test(modelId) ? {} : { forceReasoning: true }),
        },
      },
      effort,
    };
  },
  finish: () => null,
};

// Google's generateContent. https://ai.google.dev/gemini-api/docs/thinking, looked up on 2026-11-22.

import { createGoogle } from "@ai-sdk/google";
import type { Wire } from "./wire.ts";

export const google: Wire = {
  open: ({ modelId, baseUrl, apiKey, effort, fetch: fetchIt }) => {
    // Without a key of ours the SDK would look for one in the environment.
    const provider = createGoogle({ baseURL: baseUrl, apiKey: apiKey ?? "", fetch: fetchIt });
    return {
      model: provider(modelId),
      providerOptions: { google: { thinkingConfig: { includeThoughts: true } } },
      effort,
    };
  },
  finish: () => null,
};

// The AI SDK's providers, set up so that nothing comes from the environment and nothing goes to the console.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel, streamText } from "ai";
import { assertNever } from "../../../../base/assert-never.ts";
import { boundedAnswer } from "./bounded-answer.ts";
import type { ModelSettings } from "./model-settings.ts";

const ANTHROPIC_URL = "https://api.anthropic.com/v1";

export type ProviderOptions = NonNullable<Parameters<typeof streamText>[0]["providerOptions"]>;

export type Provider = {
  /** Of the API, for messages. */
  readonly host: string;
  model(id: string): LanguageModel;
  /** Options of this provider only. */
  readonly options: ProviderOptions;
};

export function openProvider(settings: Pick<ModelSettings, "provider" | "baseUrl" | "apiKey">): Provider {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { provider, apiKey } = settings;
  const baseURL = settings.baseUrl ?? (provider === "anthropic" ? ANTHROPIC_URL : null);
  if (baseURL === null) throw new TypeError("An openai-compatible model needs its baseUrl.");
  return {
    host: new URL(baseURL).host,
    model: modelsOf({ provider, baseURL, apiKey }),
    // Anthropic's prompt caching, which compatible servers may not support: cached input costs a tenth.
    options: baseURL === ANTHROPIC_URL ? { anthropic: { cacheControl: { type: "ephemeral" } } } : {},
  };
}

function modelsOf(options: {
  provider: ModelSettings["provider"];
  baseURL: string;
  apiKey: string | null;
}): (id: string) => LanguageModel {
  const { provider, baseURL, apiKey } = options;
  switch (provider) {
    case "openai-compatible": {
      const key = apiKey === null ? {} : { apiKey };
      return createOpenAICompatible({ name: "model", baseURL, ...key, includeUsage: true, fetch: fetchHere });
    }
    case "anthropic":
      // Without a key of ours the SDK would look for one in the environment.
      return createAnthropic({ baseURL, apiKey: apiKey ?? "", fetch: fetchHere });
    default:
      return assertNever(provider);
  }
}

/** A redirect could carry the key to another host: none is followed. */
const fetchHere: typeof fetch = async (input, init) =>
  boundedAnswer(await fetch(input, { ...init, redirect: "error" }));

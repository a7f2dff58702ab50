// The models of the providers: their list prices, the most input of one request, and the longest answer. Pure.
//
// Prices are for a bound in US dollars where the operator sets no rates of their own: nobody is charged by them. They are from
// the makers' pages and from pages that repeat them; the makers' own pages hold. A price that ends, or that holds for some hours
// of the day, is not taken, but the higher one: a bound must hold. Input from a cache without a published price costs what other
// input does.
// Limits are from the makers' pages and from github.com/anomalyco/models.dev (2026-07-02).

import type { ModelProviderName } from "./providers.ts";

/** US dollars for a million tokens: input, input from the cache, input written to it, output. */
export type Dollars = readonly [input: number, cached: number, written: number, output: number];
export type ListedPrice = {
  readonly dollars: Dollars;
  /** Of requests whose input has more tokens. */
  readonly long?: { readonly above: number; readonly dollars: Dollars };
};

type PriceList = {
  /** The day on which its prices were looked up. */
  readonly lookedUp: string;
  /** The page of the provider that holds. */
  readonly page: string;
  /** By the names that the APIs use, with hyphens for dots. Aliases that move to other models are left out. */
  readonly models: Readonly<Record<string, ListedPrice>>;
};

const opus = { dollars: [5, 0.5, 6.25, 25] } as const;
const olderOpus = { dollars: [15, 1.5, 18.75, 75] } as const;
const sonnet = { dollars: [3, 0.3, 3.75, 15] } as const;
const gpt5 = { dollars: [1.25, 0.125, 1.25, 10] } as const;
const gpt52 = { dollars: [1.75, 0.175, 1.75, 14] } as const;
/** Half of it until the end of 2026. */
const geminiFlash = { dollars: [1.5, 0.15, 1.5, 7.5] } as const;

/** Half of it until the end of November 2026. */
const gemini4 = { dollars: [4, 0.2, 4, 20] } as const;
const gemini3Pro = { dollars: [2, 0.2, 2, 12], long: { above: 200_000, dollars: [4, 0.4, 4, 18] } } as const;
const grok4 = { dollars: [2, 0.5, 2, 6], long: { above: 200_000, dollars: [4, 4, 4, 12] } } as const;
const grok43 = {
  dollars: [1.25, 0.2, 1.25, 2.5],
  long: { above: 200_000, dollars: [2.5, 0.4, 2.5, 5] },
} as const;
/** On weekdays from 1 to 4 and from 6 to 10 o'clock, UTC; half of it otherwise. */
const deepseekFlash = { dollars: [0.3, 0.006, 0.3, 1.2] } as const;
const glm51 = { dollars: [1.4, 0.26, 1.4, 4.4] } as const;
const glm4 = { dollars: [0.6, 0.11, 0.6, 2.2] } as const;
const qwenPlus = {
  dollars: [0.5, 0.05, 0.625, 3],
  long: { above: 256_000, dollars: [2, 0.2, 2.5, 6] },
} as const;

/** Makers of models that are asked at their own addresses or through gateways, by Chat Completions: they have no row as providers. */
export const otherMakers = {
  xai: "xAI",
  deepseek: "DeepSeek",
  moonshot: "Moonshot AI",
  zai: "Z.ai",
  alibaba: "Alibaba",
  mistral: "Mistral",
} as const;

/** Null: it passes requests on to the makers of models for their prices, as "anthropic/claude-opus-5". */
export const priceLists: Readonly<Record<ModelProviderName | keyof typeof otherMakers, PriceList | null>> = {
  anthropic: {
    lookedUp: "2026-11-27",
    page: "https://platform.claude.com/docs/en/about-claude/pricing",
    models: {
      "claude-fable-5-2": { dollars: [8, 0.2, 10, 40] },
      "claude-fable-5-1": { dollars: [10, 0.25, 12.5, 50] },
      "claude-fable-5": { dollars: [10, 1, 12.5, 50] },
      "claude-opus-5-5": { dollars: [4, 0.2, 5, 20] },
      "claude-opus-5": opus,
      "claude-opus-4-8": opus,
      "claude-opus-4-7": opus,
      "claude-opus-4-6": opus,
      "claude-opus-4-5": opus,
      "claude-opus-4-1": olderOpus,
      "claude-opus-4": olderOpus,
      "claude-sonnet-5-5": { dollars: [2, 0.1, 2.5, 10] },
      "claude-sonnet-5": { dollars: [2, 0.2, 2.5, 10] },
      "claude-sonnet-4-6": sonnet,
      "claude-sonnet-4-5": sonnet,
      "claude-sonnet-4": sonnet,
      "claude-haiku-5-5": {
        dollars: [0.1, 0.01, 0.125, 0.5],
        long: { above: 100_000, dollars: [0.5, 0.05, 0.625, 2.5] },
      },
      "claude-haiku-4-5": { dollars: [1, 0.1, 1.25, 5] },
    },
  },
  openai: {
    lookedUp: "2026-11-27",
    page: "https://developers.openai.com/api/docs/pricing",
    models: {
      "gpt-6-2-astra": { dollars: [8, 0.4, 10, 40], long: { above: 272_000, dollars: [16, 0.8, 20, 60] } },
      "gpt-6-2-sol": { dollars: [2, 0.1, 2.5, 10], long: { above: 272_000, dollars: [4, 0.2, 5, 15] } },
      "gpt-6-1-terra": {
        dollars: [1, 0.05, 1.25, 5],
        long: { above: 272_000, dollars: [2, 0.1, 2.5, 7.5] },
      },
      "gpt-6-astra": { dollars: [10, 1, 12.5, 50], long: { above: 272_000, dollars: [20, 2, 25, 75] } },
      "gpt-6-1-sol": { dollars: [2, 0.1, 2.5, 10], long: { above: 272_000, dollars: [4, 0.2, 5, 15] } },
      "gpt-6-sol": { dollars: [2, 0.2, 2.5, 10], long: { above: 272_000, dollars: [4, 0.4, 5, 15] } },
      "gpt-6-luna": {
        dollars: [0.1, 0.01, 0.125, 0.5],
        long: { above: 272_000, dollars: [0.2, 0.02, 0.25, 0.75] },
      },
      // $4 and $20 "until at least 2026-11-21".
      "gpt-5-6-sol": { dollars: [5, 0.5, 6.25, 30], long: { above: 272_000, dollars: [10, 1, 12.5, 45] } },
      "gpt-5-6-terra": { dollars: [2, 0.2, 2.5, 12], long: { above: 272_000, dollars: [4, 0.4, 5, 18] } },
      "gpt-5-6-luna": {
        dollars: [0.2, 0.02, 0.25, 1.2],
        long: { above: 200_000, dollars: [0.4, 0.04, 0.5, 1.8] },
      },
      "gpt-5-5": { dollars: [5, 0.5, 5, 30], long: { above: 272_000, dollars: [10, 1, 10, 45] } },
      "gpt-5-4": { dollars: [2.5, 0.25, 2.5, 15], long: { above: 272_000, dollars: [5, 0.5, 5, 22.5] } },
      "gpt-5-4-mini": { dollars: [0.75, 0.075, 0.75, 4.5] },
      "gpt-5-4-nano": { dollars: [0.2, 0.02, 0.2, 1.25] },
      "gpt-5-3-codex": gpt52,
      "gpt-5-2-codex": gpt52,
      "gpt-5-2": gpt52,
      "gpt-5-1-codex": gpt5,
      "gpt-5-1": gpt5,
      "gpt-5-codex": gpt5,
      "gpt-5": gpt5,
      "gpt-5-mini": { dollars: [0.25, 0.025, 0.25, 2] },
      "gpt-4-1": { dollars: [2, 0.5, 2, 8] },
    },
  },
  google: {
    lookedUp: "2026-11-27",
    page: "https://ai.google.dev/gemini-api/docs/pricing",
    models: {
      "gemini-4-neon": { dollars: [3, 0.15, 3, 15] },
      "gemini-4-carbon": gemini4,
      "gemini-4-argon": gemini4,
      "gemini-4-hydrogen": { dollars: [1.5, 0.075, 1.5, 7.5] },
      "gemini-3-8-flash": geminiFlash,
      "gemini-3-7-flash": geminiFlash,
      "gemini-3-6-flash": geminiFlash,
      "gemini-3-5-flash": { dollars: [1.5, 0.15, 1.5, 9] },
      "gemini-3-5-flash-lite": { dollars: [0.3, 0.03, 0.3, 2.5] },
      "gemini-3-1-pro-preview": gemini3Pro,
      "gemini-3-1-pro-preview-customtools": gemini3Pro,
      "gemini-3-pro-preview": gemini3Pro,
      "gemini-3-1-flash-lite": { dollars: [0.25, 0.025, 0.25, 1.5] },
      "gemini-3-flash-preview": { dollars: [0.5, 0.05, 0.5, 3] },
      "gemini-2-5-pro": {
        dollars: [1.25, 0.125, 1.25, 10],
        long: { above: 200_000, dollars: [2.5, 0.25, 2.5, 15] },
      },
      "gemini-2-5-flash": { dollars: [0.3, 0.03, 0.3, 2.5] },
    },
  },
  openrouter: null,
  xai: {
    lookedUp: "2026-11-27",
    page: "https://docs.x.ai/developers/models",
    models: {
      "grok-4-6": grok4,
      "grok-4-5": grok4,
      "grok-4-3": grok43,
      "grok-4-20-0309-reasoning": grok43,
      "grok-4-20-0309-non-reasoning": grok43,
      "grok-build-0-1": { dollars: [1, 0.2, 1, 2], long: { above: 200_000, dollars: [2, 0.4, 2, 4] } },
    },
  },
  deepseek: {
    lookedUp: "2026-11-27",
    page: "https://api-docs.deepseek.com/quick_start/pricing",
    models: {
      "deepseek-flash": deepseekFlash,
      "deepseek-v4-flash": deepseekFlash,
      "deepseek-v4-pro": { dollars: [1.32, 0.044, 1.32, 3.96] },
    },
  },
  moonshot: {
    lookedUp: "2026-11-27",
    page: "https://platform.kimi.ai/docs/pricing",
    models: {
      "kimi-k3-1-pro": { dollars: [2, 0.2, 2, 10] },
      "kimi-k3": { dollars: [3, 0.3, 3, 15] },
      "kimi-k2-7-code": { dollars: [0.95, 0.19, 0.95, 4] },
      "kimi-k2-6": { dollars: [0.95, 0.16, 0.95, 4] },
      "kimi-k2-5": { dollars: [0.6, 0.1, 0.6, 3] },
    },
  },
  zai: {
    lookedUp: "2026-11-27",
    page: "https://docs.z.ai/guides/overview/pricing",
    models: {
      "glm-5-3": glm51,
      "glm-5-2": glm51,
      "glm-5-1": glm51,
      "glm-5": { dollars: [1, 0.2, 1, 3.2] },
      "glm-4-7": glm4,
      "glm-4-6": glm4,
      "glm-4-5": glm4,
    },
  },
  alibaba: {
    lookedUp: "2026-11-27",
    page: "https://www.alibabacloud.com/help/en/model-studio/model-pricing",
    models: {
      "qwen3-8-max": { dollars: [2, 2, 2, 6] },
      "qwen3-8-flash": { dollars: [0.15, 0.15, 0.15, 0.47] },
      "qwen3-7-max": { dollars: [2.5, 0.5, 3.125, 7.5] },
      "qwen3-7-plus": qwenPlus,
      "qwen3-6-plus": qwenPlus,
    },
  },
  mistral: {
    lookedUp: "2026-11-27",
    page: "https://mistral.ai/pricing",
    models: {
      "mistral-large-4-0": { dollars: [0.68, 0.68, 0.68, 2.09] },
      "mistral-large-2512": { dollars: [0.5, 0.5, 0.5, 1.5] },
      "mistral-medium-2604": { dollars: [1.5, 1.5, 1.5, 7.5] },
      "mistral-medium-3-5": { dollars: [1.5, 1.5, 1.5, 7.5] },
      "mistral-small-2603": { dollars: [0.15, 0.15, 0.15, 0.6] },
      "devstral-2512": { dollars: [0.4, 0.4, 0.4, 2] },
    },
  },
};

/** Tokens of a request with its answer, and of one answer, by the beginning of the model's name: the longest that fits counts. */
type ModelLimits = Readonly<Record<string, readonly [contextTokens: number, maxOutputTokens: number]>>;

type LimitList = {
  /** The day on which its limits were looked up. */
  readonly lookedUp: string;
  readonly models: ModelLimits;
};

/** "others": models that gateways and servers of one's own have. Such a server may be started with less: its settings win. */
export const limitLists: Readonly<Record<ModelProviderName | "others", LimitList | null>> = {
  anthropic: {
    lookedUp: "2026-11-27",
    models: {
      "claude-": [200_000, 64_000],
      "claude-2": [100_000, 4_096],
      "claude-3-": [200_000, 4_096],
      "claude-3-5": [200_000, 8_192],
      "claude-3-7": [200_000, 64_000],
      "claude-opus-4": [200_000, 32_000],
      "claude-opus-4-5": [200_000, 64_000],
      "claude-opus-4-6": [1_000_000, 128_000],
      "claude-opus-4-7": [1_000_000, 128_000],
      "claude-opus-4-8": [1_000_000, 128_000],
      "claude-opus-5": [1_000_000, 128_000],
      "claude-sonnet-4-6": [1_000_000, 64_000],
      "claude-sonnet-5": [1_000_000, 128_000],
      "claude-fable-5": [1_000_000, 128_000],
      "claude-haiku-5": [1_000_000, 128_000],
    },
  },
  openai: {
    lookedUp: "2026-11-27",
    models: {
      "gpt-3.5": [16_385, 4_096],
      "gpt-4": [8_192, 8_192],
      "gpt-4-turbo": [128_000, 4_096],
      "gpt-4o": [128_000, 16_384],
      "gpt-4o-2024-05-13": [128_000, 4_096],
      "gpt-4.1": [1_047_576, 32_768],
      "gpt-5": [400_000, 128_000],
      "gpt-5.1-chat": [128_000, 16_384],
      "gpt-5.2-chat": [128_000, 16_384],
      "gpt-5.3-chat": [128_000, 16_384],
      "gpt-5.3-codex-spark": [128_000, 32_000],
      "gpt-5.4": [1_050_000, 128_000],
      "gpt-5.4-mini": [400_000, 128_000],
      "gpt-5.4-nano": [400_000, 128_000],
      "gpt-5.5": [1_050_000, 128_000],
      "gpt-5.6": [1_050_000, 128_000],
      "gpt-6": [1_050_000, 128_000],
      "gpt-oss": [131_072, 32_768],
      o1: [200_000, 100_000],
      o3: [200_000, 100_000],
      "o4-mini": [200_000, 100_000],
    },
  },
  google: {
    lookedUp: "2026-11-27",
    models: {
      "gemini-": [1_048_576, 65_536],
      "gemini-2.0": [1_048_576, 8_192],
      "gemma-4": [262_144, 32_768],
    },
  },
  openrouter: null,
  others: {
    lookedUp: "2026-11-27",
    models: {
      "codestral-": [256_000, 4_096],
      "deepseek-": [128_000, 32_768],
      "deepseek-chat": [1_000_000, 384_000],
      "deepseek-flash": [1_000_000, 384_000],
      "deepseek-reasoner": [1_000_000, 384_000],
      "deepseek-v4": [1_000_000, 384_000],
      "devstral-": [128_000, 32_000],
      "glm-4.5": [131_072, 98_304],
      "glm-4.5v": [64_000, 16_384],
      "glm-4.6": [204_800, 131_072],
      "glm-4.6v": [128_000, 32_768],
      "glm-4.7": [200_000, 131_072],
      "glm-5": [200_000, 131_072],
      "glm-5.3": [1_048_576, 131_072],
      "grok-4": [256_000, 30_000],
      "grok-4.20": [1_000_000, 30_000],
      "grok-4.3": [1_000_000, 30_000],
      "kimi-k2": [131_072, 16_384],
      "kimi-k2-thinking": [262_144, 262_144],
      "kimi-k2.": [262_144, 262_144],
      "kimi-k3": [1_048_576, 1_048_576],
      "llama-3.1": [128_000, 4_096],
      "llama-3.3": [128_000, 4_096],
      "llama-4": [128_000, 4_096],
      "minimax-m2": [196_608, 128_000],
      "minimax-m3": [512_000, 128_000],
      "mistral-large": [131_072, 16_384],
      "mistral-large-2512": [262_144, 262_144],
      "mistral-medium": [131_072, 131_072],
      "mistral-medium-2604": [262_144, 262_144],
      "mistral-medium-3.5": [262_144, 262_144],
      "mistral-small": [128_000, 16_384],
      "qwen3-": [40_960, 16_384],
      "qwen3-coder": [262_144, 65_536],
      "qwen3-next": [262_144, 65_536],
      "qwen3.5": [262_144, 32_768],
      "qwen3.6-plus": [1_000_000, 65_536],
      "qwen3.7": [1_000_000, 65_536],
      "qwen3.8-max": [1_000_000, 65_536],
    },
  },
};

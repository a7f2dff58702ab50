// List prices of models' APIs: for a bound in US dollars where the operator sets no rates of their own. Nobody is charged by
// them. Collected on 2026-11-22: Anthropic's from its documentation, OpenAI's and Google's mostly from pages that repeat them.
// The makers' own pages hold: platform.claude.com/docs/en/about-claude/pricing, developers.openai.com/api/docs/pricing,
// ai.google.dev/gemini-api/docs/pricing. Pure.

import type { ModelPrices } from "./call-price.ts";

/** The day on which the prices were looked up. */
export const LIST_PRICES_DATE = "2026-11-22";

/** US dollars for a million tokens: input, input from the cache, input written to it, output. */
type Dollars = readonly [input: number, cached: number, written: number, output: number];
type Listed = {
  readonly dollars: Dollars;
  readonly long?: { readonly above: number; readonly dollars: Dollars };
};

const NANO_USD_PER_TOKEN = 1_000;

const opus = { dollars: [5, 0.5, 6.25, 25] } as const;
const olderOpus = { dollars: [15, 1.5, 18.75, 75] } as const;
const sonnet = { dollars: [3, 0.3, 3.75, 15] } as const;
const gpt5 = { dollars: [1.25, 0.125, 1.25, 10] } as const;
const gpt52 = { dollars: [1.75, 0.175, 1.75, 14] } as const;
/** Half of it until the end of 2026: a bound must hold afterwards, too. */
const geminiFlash = { dollars: [1.5, 0.15, 1.5, 7.5] } as const;

/** By the names that the APIs use, with hyphens for dots. */
const listed: Readonly<Record<string, Listed>> = {
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

  "gpt-6-astra": { dollars: [10, 1, 12.5, 50], long: { above: 272_000, dollars: [20, 2, 25, 75] } },
  "gpt-6-1-sol": { dollars: [2, 0.1, 2.5, 10], long: { above: 272_000, dollars: [4, 0.2, 5, 15] } },
  "gpt-6-sol": { dollars: [2, 0.2, 2.5, 10], long: { above: 272_000, dollars: [4, 0.4, 5, 15] } },
  "gpt-6-luna": {
    dollars: [0.1, 0.01, 0.125, 0.5],
    long: { above: 272_000, dollars: [0.2, 0.02, 0.25, 0.75] },
  },
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

  "gemini-3-8-flash": geminiFlash,
  "gemini-3-7-flash": geminiFlash,
  "gemini-3-6-flash": geminiFlash,
  "gemini-3-5-flash": { dollars: [1.5, 0.15, 1.5, 9] },
  "gemini-3-5-flash-lite": { dollars: [0.3, 0.03, 0.3, 2.5] },
  "gemini-3-1-pro-preview": {
    dollars: [2, 0.2, 2, 12],
    long: { above: 200_000, dollars: [4, 0.4, 4, 18] },
  },
  "gemini-2-5-pro": {
    dollars: [1.25, 0.125, 1.25, 10],
    long: { above: 200_000, dollars: [2.5, 0.25, 2.5, 15] },
  },
  "gemini-2-5-flash": { dollars: [0.3, 0.03, 0.3, 2.5] },
};

/** The listed prices of a model by its name, with or without a provider before it and a date after it. Null: it is not listed. */
export function listPrices(modelId: string): ModelPrices | null {
  const name = (modelId.split("/").at(-1) ?? "").toLowerCase().replaceAll(".", "-");
  const found = entryOf(name) ?? entryOf(name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, ""));
  if (found === null) return null;
  const { dollars, long } = found;
  if (long === undefined) return toPrices(dollars);
  return { ...toPrices(dollars), long: { ...toPrices(long.dollars), aboveInputTokens: long.above } };
}

function entryOf(name: string): Listed | null {
  return Object.hasOwn(listed, name) ? (listed[name] ?? null) : null;
}

function toPrices([input, cached, written, output]: Dollars) {
  return {
    inNanoUsdPerToken: nano(input),
    cachedInNanoUsdPerToken: nano(cached),
    cacheWriteNanoUsdPerToken: nano(written),
    outNanoUsdPerToken: nano(output),
  };
}

function nano(dollarsPerMillion: number): number {
  return Math.round(dollarsPerMillion * NANO_USD_PER_TOKEN);
}

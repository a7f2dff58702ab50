// The price of one model call's tokens, at most before it and exactly after it, and the count of fresh tokens. Pure.

import type { TokenPrices } from "./rates.ts";

const NANO_PER_MICRO = 1_000;
/** The weight of input from a cache relative to fresh input where no price is known. */
const UNPRICED_CACHED_SHARE = 0.1;

/** `cachedInput` was read from the provider's cache, `cacheWrite` was put into it; both are parts of `input`. */
export type TokenCount = {
  readonly input: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly output: number;
};

/** The prices of a model. `long` replaces them for a request whose input is larger than `aboveInputTokens`. */
export type ModelPrices = TokenPrices & {
  readonly long?: TokenPrices & { readonly aboveInputTokens: number };
};

/** In whole micro-USD, rounded up. */
export function costOfCall(prices: ModelPrices, tokens: TokenCount): number {
  const {
    inNanoUsdPerToken: fresh,
    cachedInNanoUsdPerToken = fresh,
    ...rest
  } = pricesFor(prices, tokens.input);
  const { cacheWriteNanoUsdPerToken = fresh, outNanoUsdPerToken } = rest;
  const { input, cachedInput, cacheWrite, output } = tokens;
  const nanoUsd =
    freshOf(tokens, input) * fresh +
    cachedInput * cachedInNanoUsdPerToken +
    cacheWrite * cacheWriteNanoUsdPerToken +
    output * outNanoUsdPerToken;
  return Math.ceil(nanoUsd / NANO_PER_MICRO);
}

/** The highest price of a call whose input is not in the cache yet: all of it may be written there. */
export function mostCostOfCall(
  prices: ModelPrices,
  { input, output }: Pick<TokenCount, "input" | "output">,
): number {
  const { inNanoUsdPerToken: fresh, cacheWriteNanoUsdPerToken: write = 0 } = pricesFor(prices, input);
  const cacheWrite = write > fresh ? input : 0;
  return costOfCall(prices, { input, cachedInput: 0, cacheWrite, output });
}

/** The price of a token of the answer to so much input. */
export function outputPrice(prices: ModelPrices, input: number): number {
  return pricesFor(prices, input).outNanoUsdPerToken;
}

/**
 * How much of a token budget a call takes: input from the cache, and input written to it, by its price relative to fresh
 * input; everything else as it is. Null: no price is known.
 */
export function countedTokens(prices: ModelPrices | null, tokens: TokenCount): number {
  const { input, cachedInput, cacheWrite, output } = tokens;
  const shares = sharesOf(prices, input);
  const counted = freshOf(tokens, input) + cachedInput * shares.cached + cacheWrite * shares.written + output;
  return Math.ceil(counted);
}

function sharesOf(prices: ModelPrices | null, input: number): { cached: number; written: number } {
  const known = prices === null ? null : pricesFor(prices, input);
  const fresh = known?.inNanoUsdPerToken ?? 0;
  if (known === null || fresh === 0) return { cached: UNPRICED_CACHED_SHARE, written: 1 };
  const { cachedInNanoUsdPerToken: cached, cacheWriteNanoUsdPerToken: written = fresh } = known;
  return { cached: cached === undefined ? UNPRICED_CACHED_SHARE : cached / fresh, written: written / fresh };
}

function freshOf({ cachedInput, cacheWrite }: TokenCount, input: number): number {
  return Math.max(0, input - cachedInput - cacheWrite);
}

function pricesFor({ long, ...prices }: ModelPrices, input: number): TokenPrices {
  return long !== undefined && input > long.aboveInputTokens ? long : prices;
}

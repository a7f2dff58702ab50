// List prices of models' APIs: for a bound in US dollars where the operator sets no rates of their own. Pure.

import { type Dollars, type ListedPrice, priceLists } from "../../../contract/models/catalog.ts";
import type { GivenPrice } from "../../../contract/models/model-price.ts";
import { plainName } from "../../../contract/models/plain-name.ts";
import type { ModelPrices } from "./call-price.ts";

const NANO_USD_PER_TOKEN = 1_000;

const listed: ReadonlyMap<string, ListedPrice> = new Map(
  Object.values(priceLists).flatMap((list) => Object.entries(list?.models ?? {})),
);

/**
 * The listed prices of a model by its name, with or without a provider before it and a date after it, as gateways and clouds write it. Null:
 * it is not listed.
 */
export function listPrices(modelId: string): ModelPrices | null {
  const { name: plain, isRegional } = plainName(modelId);
  const name = plain.replaceAll(".", "-");
  const found = entryOf(name) ?? entryOf(name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, ""));
  if (found === null) return null;
  const { dollars, long } = isRegional ? regional(found) : found;
  if (long === undefined) return toPrices(dollars);
  return { ...toPrices(dollars), long: { ...toPrices(long.dollars), aboveInputTokens: long.above } };
}

/** What clouds take for requests that stay in a part of the world. https://aws.amazon.com/bedrock/pricing, looked up on 2026-11-29. */
const REGIONAL_FACTOR = 1.1;

function regional({ dollars, long }: ListedPrice): ListedPrice {
  const raised = (all: Dollars): Dollars => [
    all[0] * REGIONAL_FACTOR,
    all[1] * REGIONAL_FACTOR,
    all[2] * REGIONAL_FACTOR,
    all[3] * REGIONAL_FACTOR,
  ];
  return {
    dollars: raised(dollars),
    ...(long === undefined ? {} : { long: { ...long, dollars: raised(long.dollars) } }),
  };
}

/** Writing to a cache costs what other input does. */
export function givenPrices({ input, cached, output }: GivenPrice): ModelPrices {
  return toPrices([input, cached, input, output]);
}

function entryOf(name: string): ListedPrice | null {
  return listed.get(name) ?? null;
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

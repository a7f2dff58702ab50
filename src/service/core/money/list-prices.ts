// List prices of models' APIs: for a bound in US dollars where the operator sets no rates of their own. Pure.

import { type Dollars, type ListedPrice, priceLists } from "../../../contract/models/catalog.ts";
import type { GivenPrice } from "../../../contract/models/model-price.ts";
import type { ModelPrices } from "./call-price.ts";

const NANO_USD_PER_TOKEN = 1_000;

const listed: ReadonlyMap<string, ListedPrice> = new Map(
  Object.values(priceLists).flatMap((list) => Object.entries(list?.models ?? {})),
);

/** The listed prices of a model by its name, with or without a provider before it and a date after it. Null: it is not listed. */
export function listPrices(modelId: string): ModelPrices | null {
  const name = (modelId.split("/").at(-1) ?? "").toLowerCase().replaceAll(".", "-");
  const found = entryOf(name) ?? entryOf(name.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, ""));
  if (found === null) return null;
  const { dollars, long } = found;
  if (long === undefined) return toPrices(dollars);
  return { ...toPrices(dollars), long: { ...toPrices(long.dollars), aboveInputTokens: long.above } };
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

// Prices that count towards a bound in US dollars: the operator's, of all models or of one, else what the model's maker publishes.
// Pure.

import type { ModelPrices } from "./call-price.ts";
import { givenPrices, listPrices } from "./list-prices.ts";
import { findModelRate, type Rates } from "./rates.ts";

/** Prices by a model's name; null where none are known. */
export type PricesOf = (modelId: string) => ModelPrices | null;

/** `rates` null: the run's own account pays for its model. */
export function pricesOf(rates: Pick<Rates, "models" | "otherModels" | "modelPrice"> | null): PricesOf {
  return (modelId) => {
    if (rates?.modelPrice?.model === modelId) return givenPrices(rates.modelPrice);
    const rate = rates === null ? undefined : findModelRate(rates, modelId);
    // Rates without prices say nothing of what a model costs: an operator who charges has set one for each.
    const isSet = rate !== undefined && rate.inNanoUsdPerToken + rate.outNanoUsdPerToken > 0;
    return isSet || rates?.otherModels === "refused" ? (rate ?? null) : listPrices(modelId);
  };
}

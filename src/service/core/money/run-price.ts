// The price of a run beside the tokens of its models and the calls of its tools: the fee of a run, or the published price of a
// workflow's execution. Pure.

import { priceInMicroUsd, RUN_FEE_MICRO_USD } from "./ledger.ts";
import type { Rates } from "./rates.ts";

const MINUTE_MS = 60_000;

/** As it was when the run was submitted. */
export type RunPrice = {
  readonly feeMicroUsd: number;
  readonly includedMs: number;
  /** For each minute that begins after those included. */
  readonly microUsdPerMinute: number;
};

/** The price of an execution. Null where it is that of any other run. */
export function workflowPrice({ workflow }: Pick<Rates, "workflow">): RunPrice | null {
  const price = {
    feeMicroUsd: priceInMicroUsd(workflow.execCredits),
    includedMs: workflow.includedSeconds * 1000,
    microUsdPerMinute: priceInMicroUsd(workflow.longRunCreditsPerMinute),
  };
  return price.feeMicroUsd === RUN_FEE_MICRO_USD && price.microUsdPerMinute === 0 ? null : price;
}

/** The amount that is held at submission. */
export function feeOf(price: RunPrice | null): number {
  return price?.feeMicroUsd ?? RUN_FEE_MICRO_USD;
}

/** The price of a run that has been at work for so long. */
export function costOfTime(price: RunPrice | null, elapsedMs: number): number {
  if (price === null) return RUN_FEE_MICRO_USD;
  const minutes = Math.ceil(Math.max(0, elapsedMs - price.includedMs) / MINUTE_MS);
  return price.feeMicroUsd + minutes * price.microUsdPerMinute;
}

// The operator's rates as the public rate cards show them. Pure.

import { type ModelPricing, PEG_CENTS, type ToolPricing } from "../../../contract/money/money.ts";
import { CREDITS_PER_USD } from "./ledger.ts";
import type { ModelRate, Rates } from "./rates.ts";

const NANO_PER_USD = 1_000_000_000;
const TOKENS_PER_THOUSAND = 1_000;

export function modelPricing(rates: Rates): ModelPricing {
  return {
    credits_per_usd: CREDITS_PER_USD,
    peg_cents: PEG_CENTS,
    note: rates.modelNote,
    model_tiers: rates.modelTiers.map((tier) => ({
      ...toModel(tier),
      credits_per_1k_in: creditsPerThousand(tier.inNanoUsdPerToken),
      credits_per_1k_out: creditsPerThousand(tier.outNanoUsdPerToken),
    })),
    models: rates.models.map(toModel),
    free_max_model_out_nano_usd_per_tok: rates.freeMaxModelOutNanoUsdPerToken,
  };
}

export function toolPricing(rates: Rates): ToolPricing {
  const { workflow } = rates;
  return {
    peg_cents: PEG_CENTS,
    tools: rates.tools.map(({ tool, mode, credits, freePerMonth, note }) => ({
      tool,
      mode,
      credits,
      free_per_month: freePerMonth,
      note,
    })),
    allowance_reset: rates.allowanceReset,
    workflow: {
      exec_credits: workflow.execCredits,
      included_seconds: workflow.includedSeconds,
      long_run_credits_per_minute: workflow.longRunCreditsPerMinute,
      note: workflow.note,
    },
  };
}

/**
 * Credits for a thousand tokens. Whole numbers up to one division, so that what is written is the exact decimal
 * fraction (at most five places) and not a sum of binary errors.
 */
export function creditsPerThousand(nanoUsdPerToken: number): number {
  return (nanoUsdPerToken * CREDITS_PER_USD * TOKENS_PER_THOUSAND) / NANO_PER_USD;
}

function toModel(rate: ModelRate) {
  const { id, inNanoUsdPerToken, outNanoUsdPerToken, isFreeTierEligible } = rate;
  const { cachedInNanoUsdPerToken: cached, cacheWriteNanoUsdPerToken: written } = rate;
  return {
    id,
    in_nano_usd_per_tok: inNanoUsdPerToken,
    ...(cached === undefined ? {} : { cached_in_nano_usd_per_tok: cached }),
    ...(written === undefined ? {} : { cache_write_nano_usd_per_tok: written }),
    out_nano_usd_per_tok: outNanoUsdPerToken,
    free_tier_eligible: isFreeTierEligible,
  };
}

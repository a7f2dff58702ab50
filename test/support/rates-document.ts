// A rates file as an operator would write one, with every list filled.

import type { RatesDocument } from "../../src/service/settings/rates-file.ts";

export function ratesDocument(changes: Partial<RatesDocument> = {}): RatesDocument {
  return {
    low_credit_threshold: 7,
    plans: {
      registered_free: {
        first_credits: 3,
        max_agents: 2,
        max_concurrent_runs: 1,
        may_use_paid_models: false,
      },
      subscribed: {
        first_credits: 50,
        max_agents: null,
        max_concurrent_runs: null,
        may_use_paid_models: true,
      },
    },
    packs: [{ id: "small", usd_cents: 500, credits: 600 }],
    subscriptions: [{ id: "monthly", usd_cents: 2000, monthly_credits: 2600 }],
    model_note: "Prices are per token.",
    models: [
      { id: "swift", in_nano_usd_per_tok: 150, out_nano_usd_per_tok: 600, free_tier_eligible: true },
      {
        id: "deep",
        in_nano_usd_per_tok: 3_000,
        cached_in_nano_usd_per_tok: 300,
        out_nano_usd_per_tok: 15_000,
        free_tier_eligible: false,
      },
    ],
    model_tiers: [
      { id: "basic", in_nano_usd_per_tok: 150, out_nano_usd_per_tok: 600, free_tier_eligible: true },
      { id: "odd", in_nano_usd_per_tok: 7, out_nano_usd_per_tok: 1_100, free_tier_eligible: false },
    ],
    free_max_model_out_nano_usd_per_tok: 600,
    tools: [
      { tool: "search", mode: "free", credits: 0, free_per_month: 0, note: "Looks." },
      { tool: "fetch_url", mode: "per_call", credits: 2, free_per_month: 10, note: "Opens a page." },
    ],
    allowance_reset: "monthly",
    workflow: { exec_credits: 1, included_seconds: 60, long_run_credits_per_minute: 2, note: "A run." },
    ...changes,
  };
}

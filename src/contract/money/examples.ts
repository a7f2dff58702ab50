// Examples of credits and rate cards. Pure.

import type { ExamplesOf } from "../examples.ts";
import type { creditRoutes, pricingRoutes } from "./routes.ts";

export const creditExamples: ExamplesOf<typeof creditRoutes> = {
  get: {
    answers: {
      200: {
        credits: {
          summary: "An account with a plan",
          value: {
            balance: 1_840,
            low_credit_threshold: 100,
            peg_cents: 1,
            packs: [{ id: "pack_1200", usd_cents: 1_000, credits: 1_200 }],
            plans: [{ id: "pro", usd_cents: 2_000, monthly_credits: 2_400 }],
            active_plan: {
              sku: "pro",
              monthly_credits: 2_400,
              status: "active",
              current_period_end: "2026-04-01T00:00:00.000Z",
              cancel_at_period_end: false,
            },
            can_manage_billing: true,
            audience: "subscribed",
          },
        },
      },
    },
  },
};

export const pricingExamples: ExamplesOf<typeof pricingRoutes> = {
  models: {
    answers: {
      200: {
        modelPricing: {
          summary: "One tier, one model",
          value: {
            credits_per_usd: 120,
            peg_cents: 1,
            note: "List prices of the models, without a markup.",
            model_tiers: [
              {
                id: "standard",
                in_nano_usd_per_tok: 800,
                out_nano_usd_per_tok: 4_000,
                credits_per_1k_in: 0.096,
                credits_per_1k_out: 0.48,
                free_tier_eligible: true,
              },
            ],
            models: [
              {
                id: "small-1",
                in_nano_usd_per_tok: 800,
                out_nano_usd_per_tok: 4_000,
                free_tier_eligible: true,
              },
            ],
            free_max_model_out_nano_usd_per_tok: 5_000,
          },
        },
      },
    },
  },
  tools: {
    answers: {
      200: {
        toolPricing: {
          summary: "One tool, and workflows",
          value: {
            peg_cents: 1,
            tools: [{ tool: "read_file", mode: "free", credits: 0, free_per_month: 0, note: "" }],
            allowance_reset: "monthly",
            workflow: {
              exec_credits: 1,
              included_seconds: 60,
              long_run_credits_per_minute: 1,
              note: "Model usage is charged beside it.",
            },
          },
        },
      },
    },
  },
};

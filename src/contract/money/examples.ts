// Examples of credits and rate cards. Pure.

import type { ExamplesOf } from "../examples.ts";
import { AGENT_ID, RUN_ID } from "../story.ts";
import type { creditRoutes, pricingRoutes } from "./routes.ts";

const dayOfUsage = {
  runs: { completed: 4, failed: 1, cancelled: 0, delegated: 2 },
  checks: { passed: 3, failed: 1, none: 0 },
  reviews: {
    pull_requests: 2,
    reviews: 5,
    found: 9,
    fixed: 6,
    declined: 1,
    withdrawn: 1,
    open: 1,
    resolution_rate: 0.75,
  },
  tokens: 182_400,
  gross_micro_usd: 500_000,
  refunded_micro_usd: 0,
  credits: 60,
};

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
  ledger: {
    answers: {
      200: {
        ledger: {
          summary: "A run that held two credits and cost one",
          value: {
            balance_micro_usd: 991_667,
            opening_micro_usd: 0,
            lines: [
              {
                id: "019bd2a4-7c10-7000-8000-000000000004",
                at: "2026-03-09T10:05:00.000Z",
                kind: "release",
                micro_usd: 8_333,
                change_micro_usd: 8_333,
                balance_micro_usd: 991_667,
                run_id: RUN_ID,
                agent_id: AGENT_ID,
              },
              {
                id: "019bd2a4-7c10-7000-8000-000000000003",
                at: "2026-03-09T10:05:00.000Z",
                kind: "charge",
                micro_usd: 8_333,
                change_micro_usd: 0,
                balance_micro_usd: 983_334,
                run_id: RUN_ID,
                agent_id: AGENT_ID,
              },
              {
                id: "019bd2a4-2a00-7000-8000-000000000002",
                at: "2026-03-09T10:00:00.000Z",
                kind: "hold",
                micro_usd: 16_666,
                change_micro_usd: -16_666,
                balance_micro_usd: 983_334,
                run_id: RUN_ID,
                agent_id: AGENT_ID,
              },
              {
                id: "019bd27d-4c00-7000-8000-000000000001",
                at: "2026-03-09T09:00:00.000Z",
                kind: "grant",
                micro_usd: 1_000_000,
                change_micro_usd: 1_000_000,
                balance_micro_usd: 1_000_000,
                run_id: null,
                agent_id: null,
              },
            ],
            next: null,
          },
        },
      },
    },
  },
  usage: {
    answers: {
      200: {
        accountUsage: {
          summary: "One agent",
          value: {
            by: "agent",
            from: "2026-03-09",
            to: "2026-03-09",
            rows: [{ key: AGENT_ID, name: "reviewer", ...dayOfUsage }],
            others: null,
            total: dayOfUsage,
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

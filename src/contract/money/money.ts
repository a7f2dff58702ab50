// An account's credits, GET /v1/users/{userID}/credits, and the public rate cards, GET /v1/pricing/models and
// /v1/pricing/tools. Pure.

import * as z from "zod/mini";
import { audiences } from "../problems/problem.ts";

/** What one credit is called in US cents. */
export const PEG_CENTS = 1;

export const creditPackSchema = z.object({ id: z.string(), usd_cents: z.int(), credits: z.int() });
export const creditPlanSchema = z.object({ id: z.string(), usd_cents: z.int(), monthly_credits: z.int() });

export const activePlanSchema = z.object({
  sku: z.string(),
  /** Granted at the start of each period. */
  monthly_credits: z.int(),
  /** `active`, or `past_due`: it ends with its period unless it is paid. */
  status: z.string(),
  current_period_end: z.iso.datetime(),
  cancel_at_period_end: z.boolean(),
});

export type ActivePlan = z.infer<typeof activePlanSchema>;

export const creditsSchema = z.object({
  /** Whole credits. */
  balance: z.int(),
  /** At or below it a client should warn. */
  low_credit_threshold: z.int(),
  peg_cents: z.int(),
  packs: z.array(creditPackSchema),
  plans: z.array(creditPlanSchema),
  active_plan: z.nullable(activePlanSchema),
  can_manage_billing: z.boolean(),
  audience: z.enum(audiences),
});

export type Credits = z.infer<typeof creditsSchema>;

const modelRate = {
  id: z.string(),
  in_nano_usd_per_tok: z.int(),
  /** Input that the model's provider had in its cache; as other input where it is absent. */
  cached_in_nano_usd_per_tok: z.optional(z.int()),
  /** Input that the provider puts into its cache; as other input where it is absent. */
  cache_write_nano_usd_per_tok: z.optional(z.int()),
  out_nano_usd_per_tok: z.int(),
  free_tier_eligible: z.boolean(),
};

export const modelPricingSchema = z.object({
  credits_per_usd: z.int(),
  peg_cents: z.int(),
  note: z.string(),
  model_tiers: z.array(
    z.object({ ...modelRate, credits_per_1k_in: z.number(), credits_per_1k_out: z.number() }),
  ),
  models: z.array(z.object(modelRate)),
  free_max_model_out_nano_usd_per_tok: z.int(),
});

export type ModelPricing = z.infer<typeof modelPricingSchema>;

export const toolModes = ["free", "per_call"] as const;

export const toolPricingSchema = z.object({
  peg_cents: z.int(),
  tools: z.array(
    z.object({
      tool: z.string(),
      mode: z.enum(toolModes),
      credits: z.int(),
      free_per_month: z.int(),
      note: z.string(),
    }),
  ),
  allowance_reset: z.string(),
  workflow: z.object({
    exec_credits: z.int(),
    included_seconds: z.int(),
    long_run_credits_per_minute: z.int(),
    note: z.string(),
  }),
});

export type ToolPricing = z.infer<typeof toolPricingSchema>;

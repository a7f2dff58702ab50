// An account's credits, GET /v1/users/{userID}/credits, and the public rate cards, GET /v1/pricing/models and
// /v1/pricing/tools. Pure.

import * as z from "zod/mini";
import { field, object } from "../field.ts";
import { audiences } from "../problems/problem.ts";

/** The price of one credit in US cents. */
export const PEG_CENTS = 1;

export const creditPackSchema = object({
  id: field(z.string(), "The pack."),
  usd_cents: field(z.int(), "Its price."),
  credits: field(z.int(), "What it gives."),
});
export const creditPlanSchema = object({
  id: field(z.string(), "The plan."),
  usd_cents: field(z.int(), "Its price a month."),
  monthly_credits: field(z.int(), "What it gives a month."),
});

export const activePlanSchema = object({
  sku: field(z.string(), "The plan."),
  monthly_credits: field(z.int(), "Granted at the start of each period."),
  status: field(z.string(), "`active`, or `past_due`: it ends with its period unless it is paid."),
  current_period_end: field(z.iso.datetime(), "When its period ends."),
  cancel_at_period_end: field(z.boolean(), "True when it is not renewed."),
});

export type ActivePlan = z.infer<typeof activePlanSchema>;

const pegCents = field(z.int(), "US cents that one credit stands for.");

export const creditsSchema = object({
  balance: field(z.int(), "Whole credits, without what runs hold."),
  low_credit_threshold: field(z.int(), "At or below it a client should warn."),
  peg_cents: pegCents,
  packs: field(z.array(creditPackSchema), "Credits that can be bought once."),
  plans: field(z.array(creditPlanSchema), "Plans that can be subscribed to."),
  active_plan: field(z.nullable(activePlanSchema), "The plan that the account has; null without one."),
  can_manage_billing: field(z.boolean(), "True where the credential may change the plan."),
  audience: field(z.enum(audiences), "The kind of the account."),
});

/** The balance of an account, in credits, with its plan and the packs that it can buy. */
export type Credits = z.infer<typeof creditsSchema>;

const modelRate = {
  id: field(z.string(), "The model's name."),
  in_nano_usd_per_tok: field(z.int(), "Nano-USD for a token of input."),
  cached_in_nano_usd_per_tok: field(
    z.optional(z.int()),
    "Nano-USD for a token of input that the model's provider had in its cache. Absent: as other input.",
  ),
  cache_write_nano_usd_per_tok: field(
    z.optional(z.int()),
    "Nano-USD for a token of input that the provider puts into its cache. Absent: as other input.",
  ),
  out_nano_usd_per_tok: field(z.int(), "Nano-USD for a token of output."),
  free_tier_eligible: field(z.boolean(), "True where plans without payment may use it."),
};

export const modelPricingSchema = object({
  credits_per_usd: field(z.int(), "Credits for one US dollar."),
  peg_cents: pegCents,
  note: field(z.string(), "What the prices are."),
  model_tiers: field(
    z.array(
      object({
        ...modelRate,
        credits_per_1k_in: field(z.number(), "Credits for 1,000 tokens of input."),
        credits_per_1k_out: field(z.number(), "Credits for 1,000 tokens of output."),
      }),
    ),
    "Tiers of models, to compare by.",
  ),
  models: field(z.array(object(modelRate)), "Models that an agent can name."),
  free_max_model_out_nano_usd_per_tok: field(
    z.int(),
    "The highest output price that plans without payment may use.",
  ),
});

/** The price of each model, in nano-USD a token (1,000,000,000 = 1 USD). */
export type ModelPricing = z.infer<typeof modelPricingSchema>;

export const toolModes = ["free", "per_call"] as const;

export const toolPricingSchema = object({
  peg_cents: pegCents,
  tools: field(
    z.array(
      object({
        tool: field(z.string(), "The tool's name."),
        mode: field(z.enum(toolModes), "Whether a call costs credits."),
        credits: field(z.int(), "Credits a call."),
        free_per_month: field(z.int(), "Calls a month that cost nothing."),
        note: field(z.string(), "What else there is to say of it."),
      }),
    ),
    "Every tool.",
  ),
  allowance_reset: field(z.string(), "When the free calls begin anew."),
  workflow: field(
    object({
      exec_credits: field(z.int(), "Credits an execution, in place of the one of other runs."),
      included_seconds: field(z.int(), "Seconds that are included."),
      long_run_credits_per_minute: field(z.int(), "Credits for each minute that begins beyond."),
      note: field(z.string(), "What else there is to say of it."),
    }),
    "What an execution of a workflow costs.",
  ),
});

/** The price of each tool, in credits a call, and of an execution of a workflow. */
export type ToolPricing = z.infer<typeof toolPricingSchema>;

// What the fields of credits and rate cards mean. Pure.

import { type Components, component } from "../component.ts";
import { creditsSchema, modelPricingSchema, toolPricingSchema } from "./money.ts";

const modelFields = {
  id: "The model's name.",
  in_nano_usd_per_tok: "Nano-USD for a token of input.",
  cached_in_nano_usd_per_tok:
    "Nano-USD for a token of input that the model's provider had in its cache. Absent: as other input.",
  cache_write_nano_usd_per_tok:
    "Nano-USD for a token of input that the provider puts into its cache. Absent: as other input.",
  out_nano_usd_per_tok: "Nano-USD for a token of output.",
  free_tier_eligible: "True where plans without payment may use it.",
} as const;

export const moneyComponents: Components = {
  Credits: component(creditsSchema, "An account's credits.", {
    balance: "Whole credits, without what runs hold.",
    low_credit_threshold: "At or below it a client should warn.",
    peg_cents: "US cents that one credit stands for.",
    packs: [
      "Credits that can be bought once.",
      { id: "The pack.", usd_cents: "Its price.", credits: "What it gives." },
    ],
    plans: [
      "Plans that can be subscribed to.",
      { id: "The plan.", usd_cents: "Its price a month.", monthly_credits: "What it gives a month." },
    ],
    active_plan: [
      "The plan that the account has; null without one.",
      {
        sku: "The plan.",
        monthly_credits: "Granted at the start of each period.",
        status: "`active`, or `past_due`: it ends with its period unless it is paid.",
        current_period_end: "When its period ends.",
        cancel_at_period_end: "True when it is not renewed.",
      },
    ],
    can_manage_billing: "True where the credential may change the plan.",
    audience: "The kind of the account.",
  }),
  ModelPricing: component(modelPricingSchema, "What models cost.", {
    credits_per_usd: "Credits for one US dollar.",
    peg_cents: "US cents that one credit stands for.",
    note: "What the prices are.",
    model_tiers: [
      "Tiers of models, to compare by.",
      {
        ...modelFields,
        credits_per_1k_in: "Credits for 1,000 tokens of input.",
        credits_per_1k_out: "Credits for 1,000 tokens of output.",
      },
    ],
    models: ["Models that an agent can name.", modelFields],
    free_max_model_out_nano_usd_per_tok: "The highest output price that plans without payment may use.",
  }),
  ToolPricing: component(toolPricingSchema, "What tools and workflows cost.", {
    peg_cents: "US cents that one credit stands for.",
    tools: [
      "Every tool.",
      {
        tool: "The tool's name.",
        mode: "Whether a call costs credits.",
        credits: "Credits a call.",
        free_per_month: "Calls a month that cost nothing.",
        note: "What else there is to say of it.",
      },
    ],
    allowance_reset: "When the free calls begin anew.",
    workflow: [
      "What an execution of a workflow costs.",
      {
        exec_credits: "Credits an execution, in place of the one of other runs.",
        included_seconds: "Seconds that are included.",
        long_run_credits_per_minute: "Credits for each minute that begins beyond.",
        note: "What else there is to say of it.",
      },
    ],
  }),
};

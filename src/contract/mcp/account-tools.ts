// The tools about workflows, credits and prices: what they take and what they answer. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";
import { creditsSchema, modelPricingSchema, toolPricingSchema } from "../money/money.ts";
import { workflowSchema } from "../workflows.ts";
import { agentReferenceSchema } from "./agent-tools.ts";
import { fieldText, toolSchema } from "./tool-schema.ts";

export const MAX_LISTED_WORKFLOWS = 50;
/** Models of a rate card that one answer holds at most. */
export const MAX_PRICED_MODELS = 60;

export const listWorkflowsTool = {
  input: toolSchema(strictObject({ agent: agentReferenceSchema }), { agent: fieldText.agent }),
  output: toolSchema(z.object({ workflows: z.array(workflowSchema), omitted: z.optional(z.int()) }), {
    workflows: [
      "Oldest first.",
      {
        id: "The workflow's id.",
        agent_id: "The agent that executes it.",
        name: "Its name.",
        version: "The newest version.",
        active_version: "The version that executions run; null until the owner has activated one.",
        created_at: "When it was made.",
        updated_at: "When it was changed.",
      },
    ],
    omitted: "How many more there are; absent where these are all.",
  }),
} as const;

const { balance, low_credit_threshold, peg_cents, active_plan, audience } = creditsSchema.shape;

export const getCreditsTool = {
  input: toolSchema(strictObject({}), {}),
  output: toolSchema(z.object({ balance, low_credit_threshold, peg_cents, active_plan, audience }), {
    balance: "Whole credits.",
    low_credit_threshold: "At or below it the account is low.",
    peg_cents: "What one credit is called in US cents.",
    active_plan: [
      "The account's subscription; null without one.",
      {
        sku: "What was bought.",
        monthly_credits: "Granted at the start of each period.",
        status: "`active`, or `past_due`.",
        current_period_end: "When its period ends.",
        cancel_at_period_end: "Whether it ends with its period.",
      },
    ],
    audience: "The account's plan.",
  }),
} as const;

const rateTexts = {
  id: "The model, or the tier.",
  in_nano_usd_per_tok: "Input, in billionths of a US dollar a token.",
  cached_in_nano_usd_per_tok: "Input that the provider had in its cache; as other input where absent.",
  cache_write_nano_usd_per_tok: "Input that the provider puts into its cache; as other input where absent.",
  out_nano_usd_per_tok: "Output.",
  free_tier_eligible: "Whether the free plan may use it.",
} as const;

export const getPricingTool = {
  input: toolSchema(strictObject({ about: z._default(z.enum(["models", "tools", "all"]), "all") }), {
    about: "Which rate card.",
  }),
  output: toolSchema(
    z.object({
      models: z.optional(modelPricingSchema),
      models_omitted: z.optional(z.int()),
      tools: z.optional(toolPricingSchema),
    }),
    {
      models: [
        "What models cost.",
        {
          credits_per_usd: "Credits a US dollar.",
          peg_cents: "What one credit is called in US cents.",
          note: "What else counts.",
          model_tiers: [
            "Tiers of models.",
            {
              ...rateTexts,
              credits_per_1k_in: "Credits for a thousand tokens of input.",
              credits_per_1k_out: "Credits for a thousand tokens of output.",
            },
          ],
          models: ["Models.", rateTexts],
          free_max_model_out_nano_usd_per_tok: "The dearest output that the free plan may use.",
        },
      ],
      models_omitted: "How many models were left out.",
      tools: [
        "What tools and workflows cost.",
        {
          peg_cents: "What one credit is called in US cents.",
          tools: [
            "Tools.",
            {
              tool: "Its name.",
              mode: "Whether it costs anything.",
              credits: "Credits a call.",
              free_per_month: "Calls a month that cost nothing.",
              note: "What else counts.",
            },
          ],
          allowance_reset: "When free calls begin anew.",
          workflow: [
            "Executions of workflows.",
            {
              exec_credits: "Credits an execution.",
              included_seconds: "Seconds that it includes.",
              long_run_credits_per_minute: "Credits for each further minute.",
              note: "What else counts.",
            },
          ],
        },
      ],
    },
  ),
} as const;

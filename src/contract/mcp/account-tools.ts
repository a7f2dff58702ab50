// The tools about workflows, credits and prices: what they take and what they answer. Pure.

import * as z from "zod/mini";
import { field, object, strictObject } from "../field.ts";
import { creditsSchema, modelPricingSchema, toolPricingSchema } from "../money/money.ts";
import { workflowSchema } from "../workflows.ts";
import { agentReferenceSchema } from "./agent-tools.ts";
import { toolSchema } from "./tool-schema.ts";

export const MAX_LISTED_WORKFLOWS = 50;
/** Models of a rate card that one answer holds at most. */
export const MAX_PRICED_MODELS = 60;

export const listWorkflowsTool = {
  input: toolSchema(strictObject({ agent: field(agentReferenceSchema, "The agent: its id, or its name.") })),
  output: toolSchema(
    object({
      workflows: field(z.array(workflowSchema), "Oldest first."),
      omitted: field(z.optional(z.int()), "How many more there are; absent where these are all."),
    }),
  ),
} as const;

const { balance, low_credit_threshold, peg_cents, active_plan, audience } = creditsSchema.shape;

export const getCreditsTool = {
  input: toolSchema(strictObject({})),
  output: toolSchema(
    object({
      balance: field(balance, "Whole credits."),
      low_credit_threshold: field(low_credit_threshold, "At or below it the account is low."),
      peg_cents: field(peg_cents, "What one credit is called in US cents."),
      active_plan: field(active_plan, "The account's subscription; null without one."),
      audience: field(audience, "The account's plan."),
    }),
  ),
} as const;

export const getPricingTool = {
  input: toolSchema(
    strictObject({ about: field(z._default(z.enum(["models", "tools", "all"]), "all"), "Which rate card.") }),
  ),
  output: toolSchema(
    object({
      models: field(z.optional(modelPricingSchema), "What models cost."),
      models_omitted: field(z.optional(z.int()), "How many models were left out."),
      tools: field(z.optional(toolPricingSchema), "What tools and workflows cost."),
    }),
  ),
} as const;

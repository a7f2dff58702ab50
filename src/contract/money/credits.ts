// GET /v1/users/{userID}/credits: an account's balance, its plan and what it can buy. Pure.

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

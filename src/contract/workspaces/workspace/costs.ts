// What the runs of a workspace, or of a task group, cost. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";

const roleCostSchema = z.object({
  credits: z.number(),
  micro_usd: z.int(),
  tokens: z.int(),
  calls: z.int(),
});

const sums = {
  credits: z.int(),
  gross_micro_usd: z.int(),
  refunded_micro_usd: z.int(),
  tokens: z.int(),
  runs: z.int(),
};

export const agentCostSchema = z.object({ agent_id: z.uuid(), ...sums });

export const costsSchema = z.object({
  ...sums,
  by_role: z.object({
    executor: z.optional(roleCostSchema),
    advisor: z.optional(roleCostSchema),
    reviewer: z.optional(roleCostSchema),
  }),
  by_agent: z.array(agentCostSchema),
  since: z.nullable(z.iso.datetime()),
  until: z.nullable(z.iso.datetime()),
});
export type CostsView = z.infer<typeof costsSchema>;

const time = z.iso.datetime({ offset: true });

export const costsQuerySchema = strictObject({ since: z.optional(time), until: z.optional(time) });

export const costsQueryTexts = {
  since: "Only runs that were submitted at this time or later.",
  until: "Only runs that were submitted before this time.",
};

// Refusals to pay for a run or to show credits, and their problems. Pure.

import { isoTime, type ProblemTable, type PublicProblem, type RefusalOf } from "../ports/problem.ts";
import type { Plan } from "./plan.ts";

type Unclaimed = {
  reason: string;
  repository: string;
  resetsAt: number;
  /** Null where the repository cannot be claimed. */
  claimUrl: string | null;
};

export const moneyProblems = {
  price_unknown: ({ model }: { model: string }) => ({
    status: 400,
    code: "price_unknown",
    message: `No price is known for the model ${JSON.stringify(model)}, so that a run cannot be held to an amount. Leave the limit of cost out (max_cost_usd; in a job max-cost) and limit its tokens (max_turn_tokens; in a job max-turn-tokens), use another model, or say what it costs (in RATES_FILE; in a job without a server by model-price).`,
  }),
  cost_unmeasured: () => ({
    status: 400,
    code: "price_unknown",
    message:
      "The agent of this service reaches its model by itself, so that a run cannot be held to an amount. Leave the limit of cost out (max_cost_usd; in a job max-cost) and limit its tokens (max_turn_tokens; in a job max-turn-tokens).",
  }),
  balance_ended: ({ plan }: { plan: Plan }) => ({
    status: 402,
    code: "insufficient_credits",
    message: "The account has not enough credits for a run.",
    fields: { audience: plan, reason: "balance_ended" },
  }),
  credits_ended: (refusal: Unclaimed) =>
    unpaid(
      refusal,
      `The free credits of ${refusal.repository}'s owner are used up until ${isoTime(refusal.resetsAt)}.${wayToPay("Claim the repository to go on", refusal)}`,
    ),
  repository_private: (refusal: Unclaimed) =>
    unpaid(
      refusal,
      `Free credits are for public repositories, and ${refusal.repository} is not public.${wayToPay("Claim it to run its agent", refusal)}`,
    ),
} satisfies ProblemTable;

/** A run cannot be held to an amount. */
export type CostRefusal = RefusalOf<typeof moneyProblems, "price_unknown" | "cost_unmeasured">;

export type PaymentRefusal = RefusalOf<
  typeof moneyProblems,
  "balance_ended" | "credits_ended" | "repository_private"
>;

function wayToPay(what: string, { claimUrl }: Unclaimed): string {
  return claimUrl === null ? " Repositories of this CI provider cannot be claimed." : ` ${what}: ${claimUrl}`;
}

function unpaid({ reason, claimUrl }: Unclaimed, message: string): PublicProblem {
  return {
    status: 402,
    code: "insufficient_credits",
    message,
    fields: { audience: "anon", reason, claim_url: claimUrl },
  };
}

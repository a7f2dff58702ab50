// Why a run is not paid for, or credits are not shown. Pure.

import type { Plan } from "./plan.ts";

/** A run cannot be held to an amount. */
export type CostRefusal =
  | { readonly reason: "price_unknown"; readonly model: string }
  /** The agent's program reaches its model by itself: nothing can be held before its calls. */
  | { readonly reason: "cost_unmeasured" };

export type PaymentRefusal =
  | { readonly reason: "balance_ended"; readonly plan: Plan }
  | {
      readonly reason: "credits_ended" | "repository_private";
      readonly repository: string;
      readonly resetsAt: number;
      /** Null where the repository cannot be claimed. */
      readonly claimUrl: string | null;
    };

// Why a run is not paid for, or credits are not shown. Pure.

import type { Plan } from "../accounts/account.ts";

/** An account's credits are shown to that account alone. */
export type CreditsRefusal = { readonly reason: "credits_of_another"; readonly userId: string };

export type PaymentRefusal =
  | { readonly reason: "balance_ended"; readonly plan: Plan }
  | {
      readonly reason: "credits_ended" | "repository_private";
      readonly repository: string;
      readonly resetsAt: number;
      /** Null where the repository cannot be claimed. */
      readonly claimUrl: string | null;
    };

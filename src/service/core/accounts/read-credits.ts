// GET /v1/users/{userID}/credits.

import { ok, type Result, refused } from "../../../base/result.ts";
import { type ActivePlan, type Credits, PEG_CENTS } from "../../../contract/money/money.ts";
import type { Core } from "../core.ts";
import { accountWallet, balanceInCredits } from "../money/ledger.ts";
import type { Subscription } from "./account.ts";
import type { Caller } from "./caller.ts";
import type { ClassRefusal, CreditsRefusal } from "./refusals.ts";
import { findCurrentAccount } from "./subscriptions.ts";

/** An account's credits, shown to that account only. Renews a subscription whose period has ended. */
export async function readCredits(
  core: Pick<Core, "store" | "clock" | "random" | "rates">,
  query: { caller: Caller; userId: string },
): Promise<Result<Credits, ClassRefusal | CreditsRefusal>> {
  const { caller, userId } = query;
  if (caller.kind !== "account") return refused({ reason: "account_needed" });
  if (caller.accountId !== userId) return refused({ reason: "credits_of_another" });
  const account = await findCurrentAccount(core, userId);
  if (account === null) throw new Error(`There is no account ${userId}, though it has a key.`);
  const balance = await core.store.committed.ledger.findBalance(accountWallet(userId));
  const { lowCreditThreshold, packs, subscriptions } = core.rates;
  return ok({
    balance: balanceInCredits(balance ?? 0),
    low_credit_threshold: lowCreditThreshold,
    peg_cents: PEG_CENTS,
    packs: packs.map(({ id, usdCents, credits }) => ({ id, usd_cents: usdCents, credits })),
    plans: subscriptions.map(({ id, usdCents, monthlyCredits }) => ({
      id,
      usd_cents: usdCents,
      monthly_credits: monthlyCredits,
    })),
    active_plan: activePlanOf(account.subscription),
    // Nothing can be bought yet: an operator grants credits and sets plans.
    can_manage_billing: false,
    audience: account.plan,
  });
}

function activePlanOf(subscription: Subscription | null): ActivePlan | null {
  if (subscription === null || subscription.status === "cancelled") return null;
  return {
    sku: subscription.sku,
    monthly_credits: subscription.monthlyCredits,
    status: subscription.status,
    current_period_end: new Date(subscription.periodEnd).toISOString(),
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
  };
}

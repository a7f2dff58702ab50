// GET /v1/users/{userID}/credits.

import { ok, type Result, refused } from "../../base/result.ts";
import { type Credits, PEG_CENTS } from "../../contract/credits.ts";
import type { Caller } from "./caller.ts";
import type { Core } from "./core.ts";
import { accountWallet, balanceInCredits } from "./ledger.ts";
import type { ClassRefusal, CreditsRefusal } from "./refusal.ts";

/** An account's credits, for itself alone. */
export async function readCredits(
  core: Pick<Core, "store" | "rates">,
  query: { caller: Caller; userId: string },
): Promise<Result<Credits, ClassRefusal | CreditsRefusal>> {
  const { caller, userId } = query;
  if (caller.kind !== "account") return refused({ reason: "account_needed" });
  if (caller.accountId !== userId) return refused({ reason: "credits_of_another", userId });
  const account = await core.store.committed.findAccount(userId);
  if (account === null) throw new Error(`There is no account ${userId}, though it has a key.`);
  const balance = await core.store.committed.findBalance(accountWallet(userId));
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
    // Nothing is sold here yet: an operator grants credits and sets plans.
    active_plan: null,
    can_manage_billing: false,
    audience: account.plan,
  });
}

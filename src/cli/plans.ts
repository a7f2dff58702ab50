// agent-service plans: an operator puts accounts on a subscription, in the store itself.

import type { Account, Subscription } from "../service/operator/operator.ts";
import { type CommandGroup, command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { anyText, argument, switchFlag } from "./flags.ts";
import { noAccountText, operate, storeFlags } from "./operate.ts";
import { printFields, printJson } from "./print.ts";

const accountArgument = argument(anyText, "The account's id.");

const set = command({
  summary: "Subscribe an account: credits each month, until it is ended.",
  notes: [
    "Safe to repeat: a subscription that goes on already gives no further credits before its next period.",
  ],
  arguments: {
    account: accountArgument,
    sku: argument(anyText, "A subscription of the rates, by its id."),
  },
  flags: {
    ...storeFlags,
    "cancel-at-period-end": switchFlag("End it with the account's current period."),
    "past-due": switchFlag("It is not paid: it ends with its period, unless it is set again."),
  },
  examples: ["plans set <account> monthly", "plans set <account> monthly --cancel-at-period-end"],
  run: async ({ arguments: { account: accountId, sku }, flags }) =>
    await operate(flags, async ({ operator }) => {
      const done = await operator.setPlan({
        accountId,
        sku,
        status: flags["past-due"] ? "past_due" : "active",
        cancelAtPeriodEnd: flags["cancel-at-period-end"],
      });
      if (!done.ok && done.refusal.reason === "sku_unknown")
        throw new CommandError(noSkuText(sku, operator.skus));
      if (!done.ok) throw new CommandError(noAccountText(accountId, operator.place));
      return print(done.value, flags);
    }),
});

const end = command({
  summary: "End an account's subscription at once. The account keeps its credits.",
  arguments: { account: accountArgument },
  flags: storeFlags,
  examples: ["plans end <account>"],
  run: async ({ arguments: { account: accountId }, flags }) =>
    await operate(flags, async ({ operator }) => {
      const done = await operator.endPlan(accountId);
      if (!done.ok && done.refusal.reason === "plan_not_subscribed") {
        throw new CommandError(`Account ${accountId} is on no plan that could end: it is registered_free.`);
      }
      if (!done.ok) throw new CommandError(noAccountText(accountId, operator.place));
      return print(done.value, flags);
    }),
});

const show = command({
  summary: "Show what an account is subscribed to.",
  arguments: { account: accountArgument },
  flags: storeFlags,
  examples: ["plans show <account>"],
  run: async ({ arguments: { account: accountId }, flags }) =>
    await operate(flags, async ({ operator }) => {
      const account = await operator.findAccount(accountId);
      if (account === null) throw new CommandError(noAccountText(accountId, operator.place));
      return print(account, flags);
    }),
});

export const plans: CommandGroup = {
  summary: "Subscriptions of accounts, in the store itself.",
  commands: { set, end, show },
};

function print(account: Account, flags: { readonly json: boolean }): number {
  const { id, plan, subscription } = account;
  const shown = subscription === null ? null : shownSubscription(subscription);
  if (flags.json) {
    printJson({ account_id: id, audience: plan, subscription: shown });
    return 0;
  }
  printFields({ account: id, audience: plan });
  if (shown === null) return 0;
  printFields({
    plan: shown.sku,
    status: shown.status,
    credits: `${shown.monthly_credits} a month`,
    [lastDayName(subscription)]: shown.current_period_end,
  });
  return 0;
}

function lastDayName(subscription: Subscription | null): string {
  if (subscription?.status === "cancelled") return "was paid until";
  return subscription?.status === "active" && !subscription.cancelAtPeriodEnd ? "renews" : "ends";
}

/** With the API's spelling. */
function shownSubscription(subscription: Subscription) {
  return {
    sku: subscription.sku,
    monthly_credits: subscription.monthlyCredits,
    status: subscription.status,
    started_at: new Date(subscription.startedAt).toISOString(),
    current_period_end: new Date(subscription.periodEnd).toISOString(),
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
  };
}

function noSkuText(sku: string, skus: readonly string[]): string {
  return skus.length === 0
    ? `There is no plan "${sku}": the rates have none. List them under "subscriptions" in the file that RATES_FILE names, here and for the service.`
    : `There is no plan "${sku}". The rates have ${skus.join(", ")}.`;
}

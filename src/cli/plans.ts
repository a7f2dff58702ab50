// agent-service plans: an operator puts accounts on a subscription, in the store itself.

import type { Account, Subscription } from "../service/operator.ts";
import { CommandError } from "./command-error.ts";
import { readFlags, runVerb, takeArguments } from "./flags.ts";
import { noAccountText } from "./keys.ts";
import { operate, storeFlags } from "./operate.ts";
import { printFields, printJson } from "./print.ts";

/** Resolves to the exit code. Throws UsageError or CommandError. */
export async function plans(args: readonly string[]): Promise<number> {
  return await runVerb("plans", { set, end, show }, args);
}

/** Safe to repeat: what goes on already is given no further credits before its next period. */
async function set(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, {
    ...storeFlags,
    "cancel-at-period-end": { type: "boolean" },
    "past-due": { type: "boolean" },
  });
  const [accountId = "", sku = ""] = takeArguments("plans set <account> <sku>", positionals);
  return await operate(values, async ({ operator }) => {
    const done = await operator.setPlan({
      accountId,
      sku,
      status: values["past-due"] === true ? "past_due" : "active",
      cancelAtPeriodEnd: values["cancel-at-period-end"] === true,
    });
    if (!done.ok && done.refusal.reason === "sku_unknown")
      throw new CommandError(noSkuText(sku, operator.skus));
    if (!done.ok) throw new CommandError(noAccountText(accountId, operator.place));
    return print(done.value, values);
  });
}

async function end(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, storeFlags);
  const [accountId = ""] = takeArguments("plans end <account>", positionals);
  return await operate(values, async ({ operator }) => {
    const done = await operator.endPlan(accountId);
    if (!done.ok && done.refusal.reason === "plan_not_subscribed") {
      throw new CommandError(`Account ${accountId} is on no plan that could end: it is registered_free.`);
    }
    if (!done.ok) throw new CommandError(noAccountText(accountId, operator.place));
    return print(done.value, values);
  });
}

async function show(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, storeFlags);
  const [accountId = ""] = takeArguments("plans show <account>", positionals);
  return await operate(values, async ({ operator }) => {
    const account = await operator.findAccount(accountId);
    if (account === null) throw new CommandError(noAccountText(accountId, operator.place));
    return print(account, values);
  });
}

function print(account: Account, flags: { readonly json?: boolean | undefined }): number {
  const { id, plan, subscription } = account;
  const shown = subscription === null ? null : shownSubscription(subscription);
  if (flags.json === true) {
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

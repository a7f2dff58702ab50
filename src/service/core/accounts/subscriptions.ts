// Subscriptions: set and ended by the operator, renewed by the first request of the account in a new period or by a sweep.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { Core } from "../core.ts";
import { accountWallet, GRANTS, grantInMicroUsd } from "../money/ledger.ts";
import type { StoreTransaction } from "../ports/store.ts";
import type { Account, Subscription } from "./account.ts";
import type { PlanRefusal } from "./refusals.ts";
import { ended, hasPeriodEnded, newSubscription, nextPeriod } from "./subscription-machine.ts";

const PAGE = 100;

type Subscriber = Pick<Core, "store" | "clock" | "random" | "rates">;
type Granter = Pick<Core, "clock" | "random">;

export type PlanOrder = {
  readonly accountId: string;
  /** One of the rates' subscriptions. */
  readonly sku: string;
  readonly status: "active" | "past_due";
  readonly cancelAtPeriodEnd: boolean;
};

/**
 * Puts an account on a subscription. A current subscription of the same sku stays in its period and gets today's terms but
 * no credits, so that a repeated call is safe. Any other begins its first period now, with its credits.
 */
export async function setPlan(core: Subscriber, order: PlanOrder): Promise<Result<Account, PlanRefusal>> {
  const { accountId, sku, status, cancelAtPeriodEnd } = order;
  const terms = core.rates.subscriptions.find(({ id }) => id === sku);
  if (terms === undefined) return refused({ reason: "sku_unknown", sku });
  const { monthlyCredits } = terms;
  return await core.store.transact(async (tx): Promise<Result<Account, PlanRefusal>> => {
    const account = await lockCurrentAccount(core, tx, accountId);
    if (account === null) return refused({ reason: "account_not_found", accountId });
    const { subscription } = account;
    if (subscription !== null && subscription.status !== "cancelled" && subscription.sku === sku) {
      return ok(await write(tx, account, { ...subscription, monthlyCredits, status, cancelAtPeriodEnd }));
    }
    const now = core.clock.now();
    const begun = { ...newSubscription({ id: core.random.uuid(now), sku, monthlyCredits, now }), status };
    await grantPeriod(core, tx, { accountId, subscription: begun });
    return ok(await write(tx, account, { ...begun, cancelAtPeriodEnd }));
  });
}

/** Ends an account's subscription now. The account keeps its credits. */
export async function endPlan(core: Subscriber, accountId: string): Promise<Result<Account, PlanRefusal>> {
  return await core.store.transact(async (tx): Promise<Result<Account, PlanRefusal>> => {
    const account = await lockCurrentAccount(core, tx, accountId);
    if (account === null) return refused({ reason: "account_not_found", accountId });
    if (account.plan !== "subscribed") return refused({ reason: "plan_not_subscribed", accountId });
    if (account.subscription !== null) return ok(await write(tx, account, ended(account.subscription)));
    const free: Account = { ...account, plan: "registered_free" };
    await tx.accounts.update(free);
    return ok(free);
  });
}

/** An account as of now, its subscription renewed or ended where its period is over. Null when there is none. Safe to race. */
export async function findCurrentAccount(
  core: Pick<Core, "store" | "clock" | "random">,
  accountId: string,
): Promise<Account | null> {
  const account = await core.store.committed.accounts.find(accountId);
  if (account === null || !isRenewalDue(account, core.clock.now())) return account;
  return await core.store.transact((tx) => lockCurrentAccount(core, tx, accountId));
}

/** The same within a transaction, which locks the account. */
export async function lockCurrentAccount(
  core: Granter,
  tx: StoreTransaction,
  accountId: string,
): Promise<Account | null> {
  const account = await tx.accounts.lock(accountId);
  return account === null ? null : await renewDue(core, tx, account);
}

/** Renews or ends every subscription whose period has ended. Safe to repeat, also on several nodes at once. */
export async function renewDueAccounts(core: Pick<Core, "store" | "clock" | "random">): Promise<void> {
  for (;;) {
    const ids = await core.store.committed.accounts.listDue({ now: core.clock.now(), limit: PAGE });
    for (const id of ids) await core.store.transact((tx) => lockCurrentAccount(core, tx, id));
    if (ids.length < PAGE) return;
  }
}

/** Grants the credits of every period that has begun, also of several at once. */
async function renewDue(core: Granter, tx: StoreTransaction, account: Account): Promise<Account> {
  const { id: accountId } = account;
  const now = core.clock.now();
  if (!isRenewalDue(account, now) || account.subscription === null) return account;
  let subscription = account.subscription;
  while (hasPeriodEnded(subscription, now)) {
    subscription = nextPeriod(subscription);
    if (subscription.status === "active") await grantPeriod(core, tx, { accountId, subscription });
  }
  return await write(tx, account, subscription);
}

/** The posting's id names the period, so that a second one cannot be written. */
async function grantPeriod(
  core: Granter,
  tx: StoreTransaction,
  { accountId, subscription }: { accountId: string; subscription: Subscription },
): Promise<void> {
  const microUsd = grantInMicroUsd(subscription.monthlyCredits);
  if (microUsd === 0) return;
  const id = `${subscription.id}:${subscription.period}`;
  const to = accountWallet(accountId);
  await tx.ledger.post({ id, at: core.clock.now(), kind: "grant", from: GRANTS, to, microUsd, runId: null });
}

async function write(tx: StoreTransaction, account: Account, subscription: Subscription): Promise<Account> {
  const plan = subscription.status === "cancelled" ? "registered_free" : "subscribed";
  const written: Account = { ...account, plan, subscription };
  await tx.accounts.update(written);
  return written;
}

/** Whether a period of its subscription has ended. */
export function isRenewalDue({ subscription }: Account, now: number): boolean {
  return subscription !== null && hasPeriodEnded(subscription, now);
}

// Accounts and their subscriptions in SQL.

import { type Kysely, type Selectable, sql } from "kysely";
import { type Account, plans, type Subscription, subscriptionStatuses } from "../core/accounts/account.ts";
import type { AccountStore, AccountSummary } from "../core/ports/store/accounts.ts";
import type { PageQuery } from "../core/ports/store/page.ts";
import { oneOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type Ask, keepQuery } from "./kept-query.ts";
import type { AccountsTable, Database } from "./tables.ts";

export class SqlAccounts implements AccountStore {
  readonly #db: Kysely<Database>;
  readonly #ask: Ask;
  readonly #hasRowLocks: boolean;

  constructor({ db, ask, hasRowLocks }: Connection) {
    this.#db = db;
    this.#ask = ask;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<Account | null> {
    const [row] = await this.#ask(accountOfId, { id });
    return row === undefined ? null : toAccount(row);
  }

  async count(): Promise<number> {
    const { count } = await this.#db
      .selectFrom("accounts")
      .select((select) => select.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async listAll({ before, limit }: PageQuery): Promise<readonly AccountSummary[]> {
    const query = this.#db
      .selectFrom("accounts")
      .selectAll()
      .select((select) =>
        select
          .selectFrom("agents")
          .select((inner) => inner.fn.countAll<number>().as("count"))
          .whereRef("agents.account_id", "=", "accounts.id")
          .where("agents.retired_at", "is", null)
          .as("agents"),
      )
      .orderBy("accounts.id", "desc")
      .limit(limit);
    const rows = await (before === null ? query : query.where("accounts.id", "<", before)).execute();
    return rows.map((row) => ({
      account: toAccount(row),
      signedInAt: row.signed_in_at,
      agents: Number(row.agents),
    }));
  }

  async hasSignedIn(): Promise<boolean> {
    const row = await this.#db
      .selectFrom("accounts")
      .select("id")
      .where("signed_in_at", "is not", null)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async markSignedIn({ id, now }: { id: string; now: number }): Promise<void> {
    await this.#db
      .updateTable("accounts")
      .set({ signed_in_at: now })
      .where("id", "=", id)
      .where("signed_in_at", "is", null)
      .execute();
  }

  async listDue({ now, limit }: { now: number; limit: number }): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom("accounts")
      .select("id")
      .where(sql<boolean>`subscription_status in ('active', 'past_due')`)
      .where("period_end", "<=", now)
      .orderBy("period_end")
      .limit(limit)
      .execute();
    return rows.map(({ id }) => id);
  }

  async insert(account: Account): Promise<void> {
    const { id, plan, createdAt, subscription } = account;
    await this.#db
      .insertInto("accounts")
      .values({ id, plan, created_at: createdAt, signed_in_at: null, ...subscriptionColumns(subscription) })
      .execute();
  }

  async lock(id: string): Promise<Account | null> {
    const query = this.#db.selectFrom("accounts").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : toAccount(row);
  }

  async update({ id, plan, subscription }: Account): Promise<void> {
    await this.#db
      .updateTable("accounts")
      .set({ plan, ...subscriptionColumns(subscription) })
      .where("id", "=", id)
      .execute();
  }
}

const accountOfId = keepQuery<{ id: string }>("id")((db, { id }) =>
  db.selectFrom("accounts").selectAll().where("id", "=", id),
);

function toAccount(row: Selectable<AccountsTable>): Account {
  return {
    id: row.id,
    plan: oneOf(plans, row.plan, "accounts.plan"),
    createdAt: row.created_at,
    subscription: toSubscription(row),
  };
}

function toSubscription(row: Selectable<AccountsTable>): Subscription | null {
  const { subscription_id: id, sku, monthly_credits, subscription_status: status, period } = row;
  if (id === null || sku === null || monthly_credits === null || status === null || period === null) {
    return null;
  }
  if (row.subscribed_at === null || row.period_end === null) return null;
  return {
    id,
    sku,
    monthlyCredits: monthly_credits,
    status: oneOf(subscriptionStatuses, status, "accounts.subscription_status"),
    startedAt: row.subscribed_at,
    period,
    periodEnd: row.period_end,
    cancelAtPeriodEnd: row.cancel_at_period_end === 1,
  };
}

function subscriptionColumns(subscription: Subscription | null) {
  if (subscription === null) return {};
  return {
    subscription_id: subscription.id,
    sku: subscription.sku,
    monthly_credits: subscription.monthlyCredits,
    subscription_status: subscription.status,
    subscribed_at: subscription.startedAt,
    period: subscription.period,
    period_end: subscription.periodEnd,
    cancel_at_period_end: subscription.cancelAtPeriodEnd ? 1 : 0,
  };
}

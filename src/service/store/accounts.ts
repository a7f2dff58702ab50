// Accounts, their subscriptions and their keys in SQL.

import { type Kysely, type Selectable, sql } from "kysely";
import type { StoreTransaction } from "../core/ports/store.ts";
import {
  type Account,
  type ApiKey,
  callerClasses,
  plans,
  type Subscription,
  subscriptionStatuses,
} from "../core/records.ts";
import { oneOf } from "./columns.ts";
import type { AccountsTable, ApiKeysTable, Database } from "./tables.ts";

type Accounts = Pick<
  StoreTransaction,
  | "findAccount"
  | "countAccounts"
  | "listDueAccounts"
  | "insertAccount"
  | "lockAccount"
  | "updateAccount"
  | "findApiKey"
  | "listApiKeys"
  | "insertApiKey"
  | "revokeApiKey"
  | "touchApiKey"
>;

export function accountQueries(db: Kysely<Database>, options: { rowLocks: boolean }): Accounts {
  return {
    findAccount: async (id) => {
      const row = await db.selectFrom("accounts").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toAccount(row);
    },

    countAccounts: async () => {
      const { count } = await db
        .selectFrom("accounts")
        .select((select) => select.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    listDueAccounts: async ({ now, limit }) => {
      const rows = await db
        .selectFrom("accounts")
        .select("id")
        .where(sql<boolean>`subscription_status in ('active', 'past_due')`)
        .where("period_end", "<=", now)
        .orderBy("period_end")
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },

    insertAccount: async (account) => {
      const { id, plan, createdAt, subscription } = account;
      await db
        .insertInto("accounts")
        .values({ id, plan, created_at: createdAt, ...subscriptionColumns(subscription) })
        .execute();
    },

    lockAccount: async (id) => {
      const query = db.selectFrom("accounts").selectAll().where("id", "=", id);
      const row = await (options.rowLocks ? query.forUpdate() : query).executeTakeFirst();
      return row === undefined ? null : toAccount(row);
    },

    updateAccount: async ({ id, plan, subscription }) => {
      await db
        .updateTable("accounts")
        .set({ plan, ...subscriptionColumns(subscription) })
        .where("id", "=", id)
        .execute();
    },

    findApiKey: async (hash) => {
      const row = await db.selectFrom("api_keys").selectAll().where("hash", "=", hash).executeTakeFirst();
      return row === undefined ? null : toApiKey(row);
    },

    listApiKeys: async (accountId) => {
      const query = db.selectFrom("api_keys").selectAll().orderBy("id");
      const rows = await (accountId === null ? query : query.where("account_id", "=", accountId)).execute();
      return rows.map(toApiKey);
    },

    insertApiKey: async (key) => {
      await db
        .insertInto("api_keys")
        .values({
          hash: key.hash,
          id: key.id,
          account_id: key.accountId,
          caller_class: key.callerClass,
          name: key.name,
          hint: key.hint,
          created_at: key.createdAt,
          last_used_at: key.lastUsedAt,
          revoked_at: key.revokedAt,
        })
        .execute();
    },

    revokeApiKey: async ({ id, now }) => {
      const { numUpdatedRows } = await db
        .updateTable("api_keys")
        .set({ revoked_at: now })
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    touchApiKey: async ({ hash, now }) => {
      await db.updateTable("api_keys").set({ last_used_at: now }).where("hash", "=", hash).execute();
    },
  };
}

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

function toApiKey(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: row.id,
    hash: row.hash,
    accountId: row.account_id,
    callerClass: oneOf(callerClasses, row.caller_class, "api_keys.caller_class"),
    name: row.name,
    hint: row.hint,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

// Accounts and their subscriptions in SQL.

import { type Kysely, sql } from "kysely";
import { type Account, subscriptionStatuses } from "../core/accounts/account.ts";
import type { AccountStore, AccountSummary, AllAccountsQuery } from "../core/accounts/store-port.ts";
import { plans } from "../core/money/plan.ts";
import type { Connection } from "./connection.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { nullableGroup, row, type TableOf } from "./row.ts";
import { flag, integer, named, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

/** SQLite takes 32,766 values in a statement. */
const IDS_AT_ONCE = 10_000;

export const accountRow = row<Account>("accounts")(
  {
    id: text,
    name: nullable(text),
    plan: oneOf(plans),
    createdAt: integer,
    subscription: nullableGroup({
      id: named("subscription_id", text),
      sku: text,
      monthlyCredits: integer,
      status: named("subscription_status", oneOf(subscriptionStatuses)),
      startedAt: named("subscribed_at", integer),
      period: integer,
      periodEnd: integer,
      cancelAtPeriodEnd: flag,
    }),
  },
  {
    /** When somebody first signed in to it on a page. */
    signedInAt: nullable(integer),
  },
);

declare module "./tables.ts" {
  interface Database {
    accounts: TableOf<typeof accountRow>;
  }
}

export class SqlAccounts implements AccountStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;
  readonly #hasRowLocks: boolean;

  constructor({ db, ask, hasRowLocks }: Connection) {
    this.#db = db;
    this.#ask = ask;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<Account | null> {
    const [row] = await this.#ask(accountOfId, { id });
    return row === undefined ? null : accountRow.read(row);
  }

  async listPlans(ids: readonly string[]): Promise<readonly Pick<Account, "id" | "plan">[]> {
    const found: Pick<Account, "id" | "plan">[] = [];
    for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
      const rows = await this.#db
        .selectFrom("accounts")
        .select(["id", "plan"])
        .where("id", "in", ids.slice(start, start + IDS_AT_ONCE))
        .execute();
      found.push(...rows.map(({ id, plan }) => ({ id, plan: accountRow.readField("plan", plan) })));
    }
    return found;
  }

  async count(): Promise<number> {
    const { count } = await this.#db
      .selectFrom("accounts")
      .select((select) => select.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async listAll({ text: wanted, before, limit }: AllAccountsQuery): Promise<readonly AccountSummary[]> {
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
      .select((select) =>
        select
          .selectFrom("memberships")
          .select((inner) => inner.fn.countAll<number>().as("count"))
          .whereRef("memberships.account_id", "=", "accounts.id")
          .as("members"),
      )
      .$if(wanted !== null, (select) => select.where(nameOrIdHas(wanted ?? "")))
      .orderBy("accounts.id", "desc")
      .limit(limit);
    const rows = await (before === null ? query : query.where("accounts.id", "<", before)).execute();
    return rows.map((row) => ({
      account: accountRow.read(row),
      signedInAt: row.signed_in_at,
      agents: Number(row.agents),
      members: Number(row.members),
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
    await this.#db
      .insertInto("accounts")
      .values(accountRow.write(account, { signedInAt: null }))
      .execute();
  }

  async lock(id: string): Promise<Account | null> {
    const query = this.#db.selectFrom("accounts").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : accountRow.read(row);
  }

  async update({ id, name, plan, subscription }: Account): Promise<void> {
    await this.#db
      .updateTable("accounts")
      .set(accountRow.change({ name, plan, subscription }))
      .where("id", "=", id)
      .execute();
  }
}

/** The signs of a pattern stand for themselves. */
function nameOrIdHas(wanted: string) {
  const pattern = `%${wanted.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const has = (column: "name" | "id") =>
    sql<boolean>`lower(${sql.ref(`accounts.${column}`)}) like lower(${pattern}) escape '\\'`;
  return sql<boolean>`(${has("name")} or ${has("id")})`;
}

const accountOfId = keepQuery<{ id: string }>("id")((db, { id }) =>
  db.selectFrom("accounts").selectAll().where("id", "=", id),
);

// The ledger in SQL. Postings are never changed; the balance of a billing account is their sum, stored in a row of its
// own so that one statement can check and spend it.
// Why: docs/decisions/002-balances-beside-postings.md

import { type Kysely, sql } from "kysely";
import { HELD, isBillingAccount } from "../core/money/ledger.ts";
import { type Hold, type Posting, postingKinds } from "../core/money/posting.ts";
import type {
  FreeCall,
  LedgerPage,
  LedgerQuery,
  LedgerStore,
  RefundQuery,
  Settlement,
} from "../core/money/store-port.ts";
import type { Connection } from "./connection.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { row, type TableOf } from "./row.ts";
import { integer, named, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

/** Only billing accounts have a row. The balance is the sum of the account's postings. */
export const balanceRow = row<{ readonly id: string; readonly balanceMicroUsd: number }>("ledger_accounts")({
  id: text,
  balanceMicroUsd: integer,
});

export const postingRow = row<Posting>("ledger_postings")(
  {
    id: text,
    at: integer,
    kind: oneOf(postingKinds),
    from: named("from_account", text),
    to: named("to_account", text),
    microUsd: integer,
    runId: nullable(text),
  },
  {
    /** Whose ledger it is in: the one that it takes from or gives to, or that of its run. */
    billingAccount: nullable(text),
  },
);

export type PostingTable = TableOf<typeof postingRow>;

/** Calls of a tool that cost nothing, by billing account and month (UTC). */
export const freeCallRow = row<Omit<FreeCall, "allowed"> & { readonly used: number }>("free_calls")({
  billingAccount: text,
  month: text,
  tool: text,
  used: integer,
});

declare module "./tables.ts" {
  interface Database {
    ledger_accounts: TableOf<typeof balanceRow>;
    ledger_postings: TableOf<typeof postingRow>;
    free_calls: TableOf<typeof freeCallRow>;
  }
}

export class SqlLedger implements LedgerStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;
  readonly #hasRowLocks: boolean;

  constructor({ db, ask, hasRowLocks }: Connection) {
    this.#db = db;
    this.#ask = ask;
    this.#hasRowLocks = hasRowLocks;
  }

  async findBalance(billingAccount: string): Promise<number | null> {
    const [row] = await this.#ask(balanceOf, { billingAccount });
    return row?.balance_micro_usd ?? null;
  }

  async listBalances(billingAccounts: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (billingAccounts.length === 0) return new Map();
    const rows = await this.#db
      .selectFrom("ledger_accounts")
      .selectAll()
      .where("id", "in", billingAccounts)
      .execute();
    return new Map(rows.map(({ id, balance_micro_usd }) => [id, balance_micro_usd]));
  }

  async listPostings({ billingAccount, before, limit }: LedgerQuery): Promise<LedgerPage> {
    const from = before === null ? null : await this.#findPlace(billingAccount, before);
    if (from === undefined) return { postings: [], balanceAfter: null };
    const isListed = from === null ? sql`true` : sql`(at, id) < (${from.at}, ${from.id})`;
    const isLater = from === null ? sql`false` : sql`(at, id) >= (${from.at}, ${from.id})`;
    // One statement, so that the balance is that of the postings.
    const { rows } = await sql<PostingTable & { balance: number; agent_id: string | null }>`
      select wallet.balance, posting.*, runs.agent_id from (
        select cast(balance_micro_usd - coalesce((
          select sum(case when to_account = ${billingAccount} then micro_usd
            when from_account = ${billingAccount} then -micro_usd else 0 end)
          from ledger_postings where billing_account = ${billingAccount} and ${isLater}
        ), 0) as bigint) as balance from ledger_accounts where id = ${billingAccount}
      ) as wallet left join (
        select * from ledger_postings where billing_account = ${billingAccount} and ${isListed}
        order by at desc, id desc limit ${limit}
      ) as posting on true left join runs on runs.id = posting.run_id order by posting.at desc, posting.id desc`.execute(
      this.#db,
    );
    return {
      postings: rows
        .filter(({ id }) => id !== null)
        .map((row) => ({ ...postingRow.read(row), agentId: row.agent_id })),
      balanceAfter: rows[0]?.balance ?? null,
    };
  }

  /** Undefined where the billing account has no such posting. */
  async #findPlace(billingAccount: string, id: string): Promise<Pick<PostingTable, "at" | "id"> | undefined> {
    return await this.#db
      .selectFrom("ledger_postings")
      .select(["at", "id"])
      .where("id", "=", id)
      .where("billing_account", "=", billingAccount)
      .executeTakeFirst();
  }

  async open(billingAccount: string): Promise<boolean> {
    return (await this.#ask(openAccount, { billingAccount })).length === 1;
  }

  async hold(hold: Hold): Promise<boolean> {
    if ((await this.#ask(spend, hold)).length === 0) return false;
    await this.#ask(insertPosting, toHoldRow(hold));
    return true;
  }

  async post(posting: Posting): Promise<void> {
    assertTakesNothing(posting);
    const billingAccount = isBillingAccount(posting.to) ? posting.to : null;
    if (billingAccount !== null) await this.#credit(billingAccount, posting.microUsd);
    await this.#ask(insertPosting, postingRow.write(posting, { billingAccount }));
  }

  async settle({ billingAccount, postings }: Settlement): Promise<void> {
    for (const posting of postings) assertTakesNothing(posting);
    for (const posting of postings)
      await this.#ask(insertPosting, postingRow.write(posting, { billingAccount }));
    const received = sumReceived(billingAccount, postings);
    // A billing account that receives nothing is not locked: other transactions can spend from it meanwhile.
    if (received > 0) await this.#credit(billingAccount, received);
  }

  async takeFreeCall({ billingAccount, month, tool, allowed }: FreeCall): Promise<boolean> {
    if (allowed === 0) return false;
    const rows = await this.#db
      .insertInto("free_calls")
      .values(freeCallRow.write({ billingAccount, month, tool, used: 1 }))
      .onConflict((conflict) =>
        conflict
          .columns(["billing_account", "month", "tool"])
          .doUpdateSet({ used: sql<number>`free_calls.used + 1` })
          .where("free_calls.used", "<", allowed),
      )
      .returning("used")
      .execute();
    return rows.length === 1;
  }

  async countRefunds({ billingAccount, since, causes }: RefundQuery): Promise<number> {
    if (this.#hasRowLocks) {
      await this.#db
        .selectFrom("ledger_accounts")
        .select("id")
        .where("id", "=", billingAccount)
        .forUpdate()
        .execute();
    }
    const { count } = await this.#db
      .selectFrom("runs")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("payer", "=", billingAccount)
      .where("ended_at", ">=", since)
      .where("refund_reason", "is not", null)
      .where("refund_reason", "in", causes)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async #credit(billingAccount: string, microUsd: number): Promise<void> {
    await this.#ask(receive, { billingAccount, microUsd });
  }
}

const balanceOf = keepQuery<{ billingAccount: string }>("billingAccount")((db, { billingAccount }) =>
  db.selectFrom("ledger_accounts").select("balance_micro_usd").where("id", "=", billingAccount),
);

const openAccount = keepQuery<{ billingAccount: string }>("billingAccount")((db, { billingAccount }) =>
  db
    .insertInto("ledger_accounts")
    .values(balanceRow.write({ id: billingAccount, balanceMicroUsd: 0 }))
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returning("id"),
);

type Amount = { readonly billingAccount: string; readonly microUsd: number };

const spend = keepQuery<Amount>(
  "billingAccount",
  "microUsd",
)((db, { billingAccount, microUsd }) =>
  db
    .updateTable("ledger_accounts")
    .set((update) => ({ balance_micro_usd: update("balance_micro_usd", "-", microUsd) }))
    .where("id", "=", billingAccount)
    .where("balance_micro_usd", ">=", microUsd)
    .returning("id"),
);

const receive = keepQuery<Amount>(
  "billingAccount",
  "microUsd",
)((db, { billingAccount, microUsd }) =>
  db
    .updateTable("ledger_accounts")
    .set((update) => ({ balance_micro_usd: update("balance_micro_usd", "+", microUsd) }))
    .where("id", "=", billingAccount),
);

const insertPosting = keepQuery<PostingTable>(...postingRow.columns)((db, values) =>
  db.insertInto("ledger_postings").values(values),
);

/** Only `hold` takes from a billing account: it alone checks the balance. */
export function assertTakesNothing({ id, from }: Posting): void {
  if (isBillingAccount(from)) throw new TypeError(`Posting ${id} takes from billing account ${from}.`);
}

export function toHoldRow({ billingAccount, ...hold }: Hold): PostingTable {
  return postingRow.write({ ...hold, kind: "hold", from: billingAccount, to: HELD }, { billingAccount });
}

/** The sum of `postings` that an account receives. */
export function sumReceived(account: string, postings: readonly Posting[]): number {
  return postings.reduce((sum, { to, microUsd }) => (to === account ? sum + microUsd : sum), 0);
}

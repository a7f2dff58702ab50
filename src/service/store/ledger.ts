// The ledger in SQL: postings are the truth, a billing account's balance is their sum, kept beside them so that one
// statement can check and spend it.

import type { Kysely } from "kysely";
import { isBillingAccount } from "../core/money/ledger.ts";
import type { StoreTransaction } from "../core/ports/store.ts";
import type { Posting } from "../core/records.ts";
import type { Database, LedgerPostingsTable } from "./tables.ts";

export type LedgerWrites = Pick<StoreTransaction, "post" | "settle">;

export function ledgerQueries(db: Kysely<Database>): Pick<StoreTransaction, "findBalance" | "openAccount"> {
  return {
    findBalance: async (account) => {
      const row = await db
        .selectFrom("ledger_accounts")
        .select("balance_micro_usd")
        .where("id", "=", account)
        .executeTakeFirst();
      return row?.balance_micro_usd ?? null;
    },

    openAccount: async (account) => {
      const rows = await db
        .insertInto("ledger_accounts")
        .values({ id: account, balance_micro_usd: 0 })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .returning("id")
        .execute();
      return rows.length === 1;
    },
  };
}

/** In statements that every database knows. */
export function ledgerWrites(db: Kysely<Database>): LedgerWrites {
  const credit = async (account: string, microUsd: number) =>
    await db
      .updateTable("ledger_accounts")
      .set((update) => ({ balance_micro_usd: update("balance_micro_usd", "+", microUsd) }))
      .where("id", "=", account)
      .execute();

  return {
    post: async (posting) => {
      if (isBillingAccount(posting.from)) {
        const { numUpdatedRows } = await db
          .updateTable("ledger_accounts")
          .set((update) => ({ balance_micro_usd: update("balance_micro_usd", "-", posting.microUsd) }))
          .where("id", "=", posting.from)
          .where("balance_micro_usd", ">=", posting.microUsd)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
      }
      if (isBillingAccount(posting.to)) await credit(posting.to, posting.microUsd);
      await db.insertInto("ledger_postings").values(toPostingRow(posting)).execute();
      return true;
    },

    settle: async ({ billingAccount, postings }) => {
      if (postings.length > 0) {
        await db.insertInto("ledger_postings").values(postings.map(toPostingRow)).execute();
        const received = sumReceived(billingAccount, postings);
        if (received > 0) await credit(billingAccount, received);
      }
      return (await ledgerQueries(db).findBalance(billingAccount)) ?? 0;
    },
  };
}

export function toPostingRow(posting: Posting): LedgerPostingsTable {
  return {
    id: posting.id,
    at: posting.at,
    kind: posting.kind,
    from_account: posting.from,
    to_account: posting.to,
    micro_usd: posting.microUsd,
    run_id: posting.runId,
  };
}

/** What all of `postings` bring to an account. */
export function sumReceived(account: string, postings: readonly Posting[]): number {
  return postings.reduce((sum, { to, microUsd }) => (to === account ? sum + microUsd : sum), 0);
}

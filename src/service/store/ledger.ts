// The ledger in SQL: postings are the truth, a payer's balance is their sum, kept beside them so that one
// statement can check and spend it.

import type { Kysely } from "kysely";
import { isPayer } from "../core/ledger.ts";
import type { StoreTransaction } from "../core/ports/store.ts";
import type { Database } from "./tables.ts";

export function ledgerQueries(
  db: Kysely<Database>,
): Pick<StoreTransaction, "findBalance" | "openAccount" | "post"> {
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

    post: async (posting) => {
      if (isPayer(posting.from)) {
        const { numUpdatedRows } = await db
          .updateTable("ledger_accounts")
          .set((update) => ({ balance_micro_usd: update("balance_micro_usd", "-", posting.microUsd) }))
          .where("id", "=", posting.from)
          .where("balance_micro_usd", ">=", posting.microUsd)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
      }
      if (isPayer(posting.to)) {
        await db
          .updateTable("ledger_accounts")
          .set((update) => ({ balance_micro_usd: update("balance_micro_usd", "+", posting.microUsd) }))
          .where("id", "=", posting.to)
          .execute();
      }
      await db
        .insertInto("ledger_postings")
        .values({
          id: posting.id,
          at: posting.at,
          kind: posting.kind,
          from_account: posting.from,
          to_account: posting.to,
          micro_usd: posting.microUsd,
          run_id: posting.runId,
        })
        .execute();
      return true;
    },
  };
}

// Every query of the store on one connection or pool: the one place that knows them all.

import type { Kysely } from "kysely";
import type { StoreTransaction } from "../core/ports/store.ts";
import { agentQueries } from "./agents.ts";
import { ciAccessQueries } from "./ci-access.ts";
import { idempotencyQueries } from "./idempotency.ts";
import { ledgerQueries } from "./ledger.ts";
import { runQueries } from "./runs.ts";
import type { Database } from "./tables.ts";

export function queries(db: Kysely<Database>, options: { rowLocks: boolean }): StoreTransaction {
  return {
    ...agentQueries(db),
    ...ciAccessQueries(db),
    ...runQueries(db, options),
    ...idempotencyQueries(db),
    ...ledgerQueries(db),
  };
}

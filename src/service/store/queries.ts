// Every query of the store on one connection or pool: the one place that knows them all.

import type { Kysely } from "kysely";
import type { StoreTransaction } from "../core/ports/store.ts";
import { accountQueries } from "./accounts.ts";
import { agentQueries } from "./agents.ts";
import { ciAccessQueries } from "./ci-access.ts";
import { claimQueries } from "./claims.ts";
import { idempotencyQueries } from "./idempotency.ts";
import { ledgerQueries, ledgerWrites } from "./ledger.ts";
import { oneStatementWrites } from "./one-statement-writes.ts";
import { runExpiryQueries } from "./run-expiry.ts";
import { runWrites } from "./run-writes.ts";
import { runQueries } from "./runs.ts";
import { scheduleQueries } from "./schedules.ts";
import { sessionKeyQueries } from "./session-keys.ts";
import type { Database } from "./tables.ts";
import { workflowQueries } from "./workflows.ts";

/** `rowLocks`: the database has several writers, and is a round trip away. */
export function queries(db: Kysely<Database>, options: { rowLocks: boolean }): StoreTransaction {
  return {
    ...accountQueries(db, options),
    ...agentQueries(db),
    ...ciAccessQueries(db),
    ...claimQueries(db),
    ...runQueries(db, options),
    ...idempotencyQueries(db),
    ...ledgerQueries(db),
    ...runExpiryQueries(db, options),
    ...scheduleQueries(db, options),
    ...sessionKeyQueries(db),
    ...workflowQueries(db),
    ...(options.rowLocks ? oneStatementWrites(db) : { ...runWrites(db), ...ledgerWrites(db) }),
  };
}

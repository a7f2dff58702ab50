// What the queries of every noun run on.

import type { Kysely } from "kysely";
import type { Database } from "./tables.ts";

export type Connection = {
  /** A pool, one connection, or a transaction on one. */
  readonly db: Kysely<Database>;
  /** True where the database has several writers, so that a row has to be locked before it is changed. */
  readonly hasRowLocks: boolean;
};

// The connection that the queries of every noun run on.

import type { Kysely } from "kysely";
import type { KeptQueryRunner } from "./kept-query.ts";
import type { Database } from "./tables.ts";

export type Connection = {
  /** A pool, one connection, or a transaction on one. */
  readonly db: Kysely<Database>;
  /** Runs a query that is kept, on the same. */
  readonly ask: KeptQueryRunner;
  /** True where the database has several writers, so that a row has to be locked before it is changed. */
  readonly hasRowLocks: boolean;
  /**
   * The time that leases are measured by, in milliseconds: the same for every node, and unmoved by a node whose clock is set.
   * Within a transaction it goes on.
   */
  readonly leaseNow: () => Promise<number>;
};

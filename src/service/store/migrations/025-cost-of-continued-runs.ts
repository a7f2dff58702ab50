// Forward only. What a continued run had cost before the day that its reservation is for.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("cost_reservations")
    .addColumn("before_micro_usd", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
}

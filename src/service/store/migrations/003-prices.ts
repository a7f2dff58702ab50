// Forward only. Runs with a price of their own, and the free calls of tools that a billing account has used in a month.

import type { Kysely } from "kysely";

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable("runs").addColumn("price", "text").execute();
  await schema
    .createTable("free_calls")
    .addColumn("billing_account", "text", (column) => column.notNull())
    .addColumn("month", "text", (column) => column.notNull())
    .addColumn("tool", "text", (column) => column.notNull())
    .addColumn("used", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("free_calls_key", ["billing_account", "month", "tool"])
    .execute();
}

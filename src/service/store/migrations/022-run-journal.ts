// Forward only. What a worker leaves of a run at work, so that another can go on with it, and the runs that wait for one.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("run_journal")
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("entry", "bigint", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("version", "bigint", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("tree", "text")
    .addPrimaryKeyConstraint("run_journal_key", ["run_id", "entry"])
    .execute();
  await db.schema
    .createTable("released_runs")
    .addColumn("run_id", "text", (column) => column.primaryKey())
    .execute();
}

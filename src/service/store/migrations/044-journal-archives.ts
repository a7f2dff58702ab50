// Forward only. Where the journals of ended runs are that have left the database.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("journal_archives")
    .addColumn("run_id", "text", (column) => column.primaryKey())
    .addColumn("blob_key", "text", (column) => column.notNull())
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .addColumn("sha256", "text", (column) => column.notNull())
    .addColumn("turns", "text", (column) => column.notNull())
    .addColumn("run_ended_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("journal_archives_ended")
    .on("journal_archives")
    .column("run_ended_at")
    .execute();
}

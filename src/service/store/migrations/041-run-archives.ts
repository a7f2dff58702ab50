// Forward only. Where the events of runs are that have left the database, and the runs whose events have not.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("run_archives")
    .addColumn("run_id", "text", (column) => column.primaryKey())
    .addColumn("blob_key", "text", (column) => column.notNull())
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .addColumn("sha256", "text", (column) => column.notNull())
    .addColumn("blocks", "text", (column) => column.notNull())
    .execute();
  // `runArchives.listDue` repeats its condition. Where events leave, it contains few rows.
  await sql`create index runs_unarchived on runs (ended_at, id)
    where content in ('kept', 'archiving') and ended_at is not null`.execute(db);
}

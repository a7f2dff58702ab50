// Forward only. Links with which anybody reads one run, and the children of a run.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("run_views")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("run_views_run").on("run_views").columns(["run_id", "created_at"]).execute();
  await db.schema.createIndex("run_views_agent").on("run_views").column("agent_id").execute();
  // `runs.listChildren` repeats its condition.
  await sql`create index runs_children on runs (parent_run_id, id) where parent_run_id is not null`.execute(
    db,
  );
}

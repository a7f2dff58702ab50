// Forward only. How agents' repositories are read without a job, as their owners chose.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("repository_accesses")
    .addColumn("agent_id", "text", (column) => column.primaryKey())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("public_key", "text")
    .addColumn("sealed", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
}

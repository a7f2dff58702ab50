// Forward only. What runs work on that no job asks for: the newest commit of each repository's default branch, and the
// commit that such a run was given.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("default_heads")
    .addColumn("agent_id", "text", (column) => column.primaryKey())
    .addColumn("job", "text", (column) => column.notNull())
    .addColumn("known_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.alterTable("runs").addColumn("works_on", "text").execute();
}

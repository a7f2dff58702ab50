// Forward only. When an agent was deleted, and when the last of what its runs stored was: its row stays for the records of its runs.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("agents").addColumn("deleted_at", "bigint").execute();
  await db.schema.alterTable("agents").addColumn("erased_at", "bigint").execute();
  await sql`create index agents_deleted on agents (deleted_at) where deleted_at is not null and erased_at is null`.execute(
    db,
  );
}

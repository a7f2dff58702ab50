// Forward only. What the job of a run delivered.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("runs").addColumn("delivery", "text").execute();
}

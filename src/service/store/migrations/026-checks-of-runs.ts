// Forward only. How the checks of a run ended.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("runs").addColumn("checks", "text").execute();
}

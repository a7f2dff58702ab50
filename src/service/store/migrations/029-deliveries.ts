// Forward only. What a run is about, and what its job delivered.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ["request", "about", "delivery"])
    await db.schema.alterTable("runs").addColumn(column, "text").execute();
}

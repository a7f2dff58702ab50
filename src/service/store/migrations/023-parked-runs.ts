// Forward only. Runs that wait for what somebody can give them.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("runs").addColumn("parked", "text").execute();
}

// Forward only. Where a run stood that the request of a key continued: a repetition of the request is told so, too.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("idempotency_keys").addColumn("continued_after", "bigint").execute();
}

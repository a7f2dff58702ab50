// Forward only. When a blob was found missing or damaged by who read it.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("blobs").addColumn("lost_at", "bigint").execute();
}

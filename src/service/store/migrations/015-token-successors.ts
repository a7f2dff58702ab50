// Forward only. What came after a refresh token that was used, sealed by that token.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("oauth_artifacts").addColumn("successor", "text").execute();
}

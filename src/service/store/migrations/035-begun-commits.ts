// Forward only. The commit of the files as a workspace's run found them, beside which its journal is.

import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("workspace_runs").addColumn("begun_commit_oid", "text").execute();
}

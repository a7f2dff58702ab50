// Forward only. Revisions by their commits, for pushes that build on them.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index revisions_commit on revisions (workspace_id, commit_oid)`.execute(db);
}

// Forward only. When a billing account last started a run: of those that share the workers, the one goes first that has waited longest.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index runs_last_start on runs (payer, started_at) where started_at is not null`.execute(
    db,
  );
}

// Forward only. What a billing account has queued and at work: accounts share the workers.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  // Contains few rows: no parked run. `queue.startOldest` repeats its condition.
  await sql`create index runs_payer on runs (payer, status, id)
    where status in ('queued', 'running', 'cancelling') and parked is null`.execute(db);
}

// Forward only. Indexes for the filters of /runs, whose rare values an agent's runs were read through for.
// Why: docs/decisions/162-indexes-of-rare-runs.md

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index runs_state on runs (agent_id, status, id)
    where status in ('queued', 'running', 'cancelling', 'failed', 'cancelled')`.execute(db);
  await sql`create index runs_origin on runs (agent_id, origin, id)
    where origin in ('schedule', 'background', 'agent', 'agent_result')`.execute(db);
  await sql`create index runs_started_by on runs (agent_id, started_by, id) where started_by is not null`.execute(
    db,
  );
}

// Forward only. Operations count the faults of the service itself. A workspace whose adoption was given up is no longer adopting.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("operations")
    .addColumn("faults", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  const givenUp = sql`select id from operations where kind = 'adopt' and status = 'failed'`;
  await sql`
    update workspaces set state = 'ready' where state = 'adopting' and id in (
      select workspace_id from adoptions where status = 'running' and operation_id in (${givenUp})
    )`.execute(db);
  await sql`
    update adoptions set
      status = 'failed',
      error = (select error from operations where operations.id = adoptions.operation_id),
      ended_at = (select ended_at from operations where operations.id = adoptions.operation_id)
    where status = 'running' and operation_id in (${givenUp})`.execute(db);
}

// Forward only. Journals that are kept after the end of their run, and what each of their turns is found by.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ["turn", "seq", "run_ended_at"])
    await db.schema.alterTable("run_journal").addColumn(column, "bigint").execute();
  await sql`create index run_journal_ended on run_journal (run_ended_at) where run_ended_at is not null`.execute(
    db,
  );
}

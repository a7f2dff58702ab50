// Forward only. Why a failed run was not refunded is stored, and the refunds of a billing account can be counted.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("runs").addColumn("refund_withheld_reason", "text").execute();
  // There was one reason until now.
  await sql`update runs set refund_withheld_reason = 'output_schema'
    where status = 'failed' and cause in ('backend_error', 'spawn_failed', 'stalled', 'interrupted')
      and gross_micro_usd > 0 and refunded_micro_usd = 0`.execute(db);
  // Contains few rows. `ledger.countRefunds` repeats its condition.
  await sql`create index runs_refunded on runs (payer, ended_at) where refund_reason is not null`.execute(db);
}

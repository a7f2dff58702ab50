// Forward only. What the runs of agents with a cap of cost a day may cost, one row a run.

import type { Kysely } from "kysely";

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("cost_reservations")
    .addColumn("run_id", "text", (column) => column.primaryKey())
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("day", "text", (column) => column.notNull())
    .addColumn("micro_usd", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createIndex("cost_reservations_day")
    .on("cost_reservations")
    .columns(["agent_id", "day"])
    .execute();
  await schema.createIndex("cost_reservations_expiry").on("cost_reservations").column("expires_at").execute();
}

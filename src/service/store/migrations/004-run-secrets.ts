// Forward only. Who pays for the tokens of a run's model, and the sealed access that a run brings to its model.

import type { Kysely } from "kysely";

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable("runs").addColumn("model_billing", "text").execute();
  await schema
    .createTable("run_secrets")
    .addColumn("run_id", "text", (column) => column.primaryKey())
    .addColumn("sealed", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("run_secrets_expiry").on("run_secrets").column("expires_at").execute();
}

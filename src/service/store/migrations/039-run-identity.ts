// Forward only. The keys that sign ID tokens of runs, and the audiences that agents' owners have granted.

import type { Kysely } from "kysely";

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("identity_keys")
    .addColumn("sequence", "bigint", (column) => column.primaryKey())
    .addColumn("kid", "text", (column) => column.notNull())
    .addColumn("public_jwk", "text", (column) => column.notNull())
    .addColumn("sealed", "text", (column) => column.notNull())
    .addColumn("starts_at", "bigint", (column) => column.notNull())
    .execute();

  await schema
    .createTable("audience_grants")
    .addColumn("agent_id", "text", (column) => column.notNull())
    .addColumn("audience", "text", (column) => column.notNull())
    .addColumn("allows_untrusted", "integer", (column) => column.notNull())
    .addColumn("granted_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("audience_grants_key", ["agent_id", "audience"])
    .execute();
}

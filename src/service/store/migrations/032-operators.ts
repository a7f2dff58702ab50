// Forward only. Who operates the service on its pages: passkeys, one-time links, sessions; who of them did what the audit trail
// has; and the nodes that share the database.

import type { Kysely } from "kysely";

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("operators")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("credential_id", "text", (column) => column.notNull().unique())
    .addColumn("public_key", "text", (column) => column.notNull())
    .addColumn("counter", "bigint", (column) => column.notNull())
    .addColumn("transports", "text", (column) => column.notNull())
    .addColumn("is_backed_up", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_used_at", "bigint")
    .execute();

  await schema
    .createTable("operator_links")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("used_at", "bigint")
    .execute();
  await schema.createIndex("operator_links_expiry").on("operator_links").column("expires_at").execute();

  await schema
    .createTable("operator_sessions")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("operator_id", "text")
    .addColumn("issuer", "text")
    .addColumn("subject", "text")
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("operator_sessions_expiry").on("operator_sessions").column("expires_at").execute();

  await schema.alterTable("audit_entries").addColumn("operator_id", "text").execute();

  await schema
    .createTable("nodes")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("started_at", "bigint", (column) => column.notNull())
    .addColumn("seen_at", "bigint", (column) => column.notNull())
    .addColumn("slots", "bigint", (column) => column.notNull())
    .addColumn("run_ids", "text", (column) => column.notNull())
    .addColumn("refusals", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("nodes_seen").on("nodes").column("seen_at").execute();
}

// Forward only. Who is signed in to the pages.

import type { Kysely } from "kysely";

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("web_sessions")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("method", "text", (column) => column.notNull())
    .addColumn("user_agent", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("seen_at", "bigint", (column) => column.notNull())
    .addColumn("authenticated_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("web_sessions_account").on("web_sessions").columns(["account_id", "id"]).execute();
  await schema.createIndex("web_sessions_expiry").on("web_sessions").column("expires_at").execute();
}

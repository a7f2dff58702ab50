// Forward only. Connections of accounts with MCP servers. Tokens are sealed.

import type { Kysely } from "kysely";

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("mcp_connections")
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("id", "text", (column) => column.notNull().unique())
    .addColumn("server_url", "text", (column) => column.notNull())
    .addColumn("resource", "text", (column) => column.notNull())
    .addColumn("issuer", "text", (column) => column.notNull())
    .addColumn("client_id", "text", (column) => column.notNull())
    .addColumn("token_endpoint", "text", (column) => column.notNull())
    .addColumn("revocation_endpoint", "text")
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("sealed", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("renewed_at", "bigint")
    .addColumn("version", "bigint", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("reason", "text")
    .addColumn("connected_by", "text", (column) => column.notNull())
    .addColumn("connected_at", "bigint", (column) => column.notNull())
    .addColumn("renewing_until", "bigint")
    .addPrimaryKeyConstraint("mcp_connections_key", ["account_id", "name"])
    .execute();
}

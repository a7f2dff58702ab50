// Forward only. How people sign in to the pages: one-time links, flows that are not finished, identities at other
// providers, passkeys; when an account signed in first, and by which method the audit trail's sign-ins came.

import type { Kysely } from "kysely";

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable("accounts").addColumn("signed_in_at", "bigint").execute();
  await schema.alterTable("audit_entries").addColumn("method", "text").execute();

  await schema
    .createTable("sign_in_links")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("used_at", "bigint")
    .execute();
  await schema.createIndex("sign_in_links_expiry").on("sign_in_links").column("expires_at").execute();

  await schema
    .createTable("sign_in_attempts")
    .addColumn("hash", "text", (column) => column.primaryKey())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("sign_in_attempts_expiry").on("sign_in_attempts").column("expires_at").execute();

  await schema
    .createTable("identities")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("issuer", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_used_at", "bigint")
    .addUniqueConstraint("identities_subject", ["issuer", "subject"])
    .execute();
  await schema.createIndex("identities_account").on("identities").column("account_id").execute();

  await schema
    .createTable("passkeys")
    .addColumn("credential_id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("public_key", "text", (column) => column.notNull())
    .addColumn("counter", "bigint", (column) => column.notNull())
    .addColumn("transports", "text", (column) => column.notNull())
    .addColumn("is_backed_up", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_used_at", "bigint")
    .execute();
  await schema.createIndex("passkeys_account").on("passkeys").column("account_id").execute();
}

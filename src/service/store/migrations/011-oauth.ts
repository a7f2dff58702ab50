// Forward only. What the authorization server keeps, what owners have allowed applications, and secrets of the service.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("oauth_artifacts")
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("id_hash", "text", (column) => column.notNull())
    .addColumn("grant_id", "text")
    .addColumn("uid", "text")
    .addColumn("user_code_hash", "text")
    .addColumn("payload", "text", (column) => column.notNull())
    .addColumn("consumed_at", "bigint")
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("oauth_artifacts_key", ["kind", "id_hash"])
    .execute();
  await schema.createIndex("oauth_artifacts_expiry").on("oauth_artifacts").column("expires_at").execute();
  await sql`create index oauth_artifacts_grant on oauth_artifacts (grant_id) where grant_id is not null`.execute(
    db,
  );
  await sql`create index oauth_artifacts_uid on oauth_artifacts (uid) where uid is not null`.execute(db);
  await sql`create unique index oauth_artifacts_user_code on oauth_artifacts (user_code_hash) where user_code_hash is not null`.execute(
    db,
  );

  await schema
    .createTable("oauth_grants")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("client_id", "text", (column) => column.notNull())
    .addColumn("client_name", "text", (column) => column.notNull())
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("resource", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("last_used_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .execute();
  await schema.createIndex("oauth_grants_account").on("oauth_grants").columns(["account_id", "id"]).execute();
  await schema.createIndex("oauth_grants_expiry").on("oauth_grants").column("expires_at").execute();

  await schema
    .createTable("service_secrets")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("value", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
}

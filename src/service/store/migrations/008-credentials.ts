// Forward only. Keys of accounts and OAuth access tokens are one table, so that a request asks once who makes it.

import { type Kysely, sql } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable("api_keys").renameTo("credentials").execute();
  await schema.alterTable("credentials").renameColumn("caller_class", "kind").execute();
  await sql`update credentials set kind = case kind when 'owner' then 'owner_key' else 'ai_client_key' end`.execute(
    db,
  );
  await schema.alterTable("credentials").addColumn("client_id", "text").execute();
  await schema.alterTable("credentials").addColumn("scope", "text").execute();
  await schema.alterTable("credentials").addColumn("resource", "text").execute();
  await schema.alterTable("credentials").addColumn("grant_id", "text").execute();
  await schema.alterTable("credentials").addColumn("expires_at", "bigint").execute();
  // Contain access tokens alone: a key has no grant, and no end.
  await sql`create index credentials_grant on credentials (grant_id) where grant_id is not null`.execute(db);
  await sql`create index credentials_expiry on credentials (expires_at) where expires_at is not null`.execute(
    db,
  );
}

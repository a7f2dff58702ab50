// Forward only. People, the accounts that they are members of, and invitations. Every account from before gets one person, its
// owner, with the account's id as theirs: they hold its identities, passkeys, sessions, keys and grants.

import { type Kysely, sql } from "kysely";

/** Their rows become those of the account's owner. */
const held = ["sign_in_links", "credentials", "oauth_grants"] as const;

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable("people")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createTable("memberships")
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("person_id", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("added_by", "text")
    .addColumn("added_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("memberships_key", ["account_id", "person_id"])
    .execute();
  await schema.createIndex("memberships_person").on("memberships").column("person_id").execute();
  await schema
    .createTable("invitations")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("invited_by", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("invitations_account").on("invitations").columns(["account_id", "id"]).execute();
  await schema.createIndex("invitations_expiry").on("invitations").column("expires_at").execute();
  await sql`insert into people (id, name, created_at) select id, '', created_at from accounts`.execute(db);
  await sql`insert into memberships (account_id, person_id, role, source, added_at)
    select id, id, 'owner', 'opened', created_at from accounts`.execute(db);

  // The owner of an account has its id, so that a column that was the account's is its owner's.
  for (const table of ["identities", "passkeys"] as const) {
    await schema.dropIndex(`${table}_account`).execute();
    await schema.alterTable(table).renameColumn("account_id", "person_id").execute();
    await schema.createIndex(`${table}_person`).on(table).column("person_id").execute();
  }
  await schema
    .alterTable("web_sessions")
    .addColumn("person_id", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  for (const table of held) await schema.alterTable(table).addColumn("person_id", "text").execute();
  await schema.alterTable("web_sessions").addColumn("ends_at", "bigint").execute();
  for (const table of ["web_sessions", "sign_in_links"] as const)
    await sql`update ${sql.table(table)} set person_id = account_id`.execute(db);
  // Grants to jobs of a repository, and their tokens, are nobody's.
  await sql`update oauth_grants set person_id = account_id where client_id not like 'ci-agent:%'`.execute(db);
  await sql`update credentials set person_id = account_id where client_id is null or client_id not like 'ci-agent:%'`.execute(
    db,
  );
  await schema.createIndex("web_sessions_person").on("web_sessions").columns(["person_id", "id"]).execute();
  await schema.alterTable("audit_entries").addColumn("person_id", "text").execute();
  await schema.alterTable("audit_entries").addColumn("client_id", "text").execute();
  await schema.alterTable("audit_entries").addColumn("about_person_id", "text").execute();
}

// Forward only. Blobs outside of the database with a row each, and packs that jobs send.

import type { Kysely } from "kysely";

export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("blobs")
    .addColumn("key", "text", (column) => column.primaryKey())
    .addColumn("bytes", "bigint")
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("changed_at", "bigint", (column) => column.notNull())
    .execute();
  await schema.createIndex("blobs_state").on("blobs").columns(["state", "changed_at"]).execute();

  await schema
    .createTable("packs")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("issuer", "text", (column) => column.notNull())
    .addColumn("repository_id", "text", (column) => column.notNull())
    .addColumn("tip", "text")
    .addColumn("shallow", "text", (column) => column.notNull())
    .addColumn("bases", "text", (column) => column.notNull())
    .addColumn("objects", "bigint", (column) => column.notNull())
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .addColumn("pack_key", "text", (column) => column.notNull())
    .addColumn("pack_bytes", "bigint", (column) => column.notNull())
    .addColumn("pack_sha256", "text", (column) => column.notNull())
    .addColumn("index_key", "text", (column) => column.notNull())
    .addColumn("index_bytes", "bigint", (column) => column.notNull())
    .addColumn("index_sha256", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("used_at", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createIndex("packs_repository")
    .on("packs")
    .columns(["issuer", "repository_id", "tip"])
    .execute();
  await schema.createIndex("packs_use").on("packs").column("used_at").execute();
}

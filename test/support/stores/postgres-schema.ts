// A schema of a test's own on the PostgreSQL at TEST_DATABASE_URL. With the service's tables it costs a server more than most tests do:
// those that are given back are emptied, renamed and given to the next test of the process. The end of the run drops them.

import { createHash, randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { openPostgresStore } from "../../../src/service/store/postgres.ts";
import { schemaPrefix } from "./postgres-schema-setup.ts";

declare module "pg" {
  /** Its types leave these out. */
  interface Client {
    ref(): void;
    unref(): void;
  }
}

/** Undefined where the suite has no PostgreSQL: those tests are skipped, and say so. */
export const testDatabaseUrl = process.env.TEST_DATABASE_URL;

export type TestSchema = {
  /** DATABASE_URL of a service that lives in the schema. */
  readonly url: string;
  query(sql: string): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
};

/** What is known of a schema with its tables, for the whole time that it is used. */
type Kept = {
  readonly client: pg.Client;
  /** The schema that it was copied from. */
  readonly template: string;
  name: string;
  /** Its tables, columns, indexes and what else is there, as they were made. */
  readonly form: string;
};

let template: Promise<string> | null = null;
const free: Kept[] = [];

/** Has the service's tables, unless it is to be empty. */
export async function createTestSchema(options: { isEmpty: boolean }): Promise<TestSchema> {
  if (!options.isEmpty) return await withTables();
  const name = newName();
  const client = await connect(name);
  await client.query(`create schema ${name}`);
  return {
    url: urlOf(name),
    query: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    drop: async () => {
      await client.query(`drop schema ${name} cascade`);
      await client.end();
    },
  };
}

async function withTables(): Promise<TestSchema> {
  const kept = (await takeFree()) ?? (await makeTables());
  const { client, name } = kept;
  return {
    url: urlOf(name),
    query: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    drop: () => giveBack(kept),
  };
}

async function makeTables(): Promise<Kept> {
  const name = newName();
  const client = await connect(name);
  template ??= makeTemplate(client);
  const from = await template;
  await client.query(copySchema(from, name));
  return { client, template: from, name, form: await formOf(client, name) };
}

/** Null where none is free that can be emptied: a session that a test left behind may still write in it. */
async function takeFree(): Promise<Kept | null> {
  for (let kept = free.pop(); kept !== undefined; kept = free.pop()) {
    try {
      kept.client.ref();
      await kept.client.query(emptyTables(kept.template, kept.name));
      await kept.client.query(`set search_path to ${kept.name}`);
      return kept;
    } catch {
      // The end of the run drops it.
      await kept.client.end().catch(() => {});
    }
  }
  return null;
}

/** A session that is left finds nothing under the name that it knows. A test that changed the tables leaves nothing to use again. */
async function giveBack(kept: Kept): Promise<void> {
  const { client, name, form } = kept;
  // What a test has set for the session is not the next one's.
  await client.query("discard all");
  if ((await formOf(client, name)) !== form) {
    await client.query(`drop schema if exists ${name} cascade`);
    await client.end();
    return;
  }
  kept.name = newName();
  await client.query(`alter schema ${name} rename to ${kept.name}`);
  // Nothing waits for it: a process ends while it is free.
  client.unref();
  free.push(kept);
}

async function connect(schema: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: urlOf(schema) });
  // A server that ends fails the next query as well.
  client.on("error", () => {});
  await client.connect();
  return client;
}

function newName(): string {
  return `${schemaPrefix()}${randomBytes(6).toString("hex")}`;
}

function urlOf(schema: string): string {
  if (testDatabaseUrl === undefined) throw new Error("TEST_DATABASE_URL is not set.");
  const url = new URL(testDatabaseUrl);
  // No test ends this server: waiting until each commit is on the disk would show nothing.
  url.searchParams.set("options", `-c search_path=${schema} -c synchronous_commit=off`);
  return url.href;
}

/** The schema that others are copied from: one for each version of the migrations, kept in the database. */
async function makeTemplate(client: pg.Client): Promise<string> {
  const name = `test_template_${migrationsHash()}`;
  // Test files run side by side: one makes it, the others wait.
  await client.query("select pg_advisory_lock(hashtext($1))", [name]);
  try {
    await client.query(`create schema if not exists ${name}`);
    // Makes nothing where it is complete.
    await (await openPostgresStore({ url: urlOf(name) })).close();
  } finally {
    await client.query("select pg_advisory_unlock(hashtext($1))", [name]);
  }
  return name;
}

function migrationsHash(): string {
  const folder = join(import.meta.dirname, "../../../src/service/store/migrations");
  const hash = createHash("sha256");
  for (const path of globSync("*.ts", { cwd: folder }).sort()) hash.update(readFileSync(join(folder, path)));
  return hash.digest("hex").slice(0, 12);
}

/** Tables with their indexes and checks, and what says which migrations were done. No table refers to another. */
function copySchema(from: string, to: string): string {
  return `do $$
    declare one text;
    begin
      create schema ${to};
      for one in select table_name from information_schema.tables where table_schema = '${from}' loop
        execute format('create table ${to}.%I (like ${from}.%I including all)', one, one);
        -- Its plans are those of a new table, however often it was used.
        execute format('alter table ${to}.%I set (autovacuum_enabled = false)', one);
        if one like 'kysely%' then execute format('insert into ${to}.%I select * from ${from}.%I', one, one); end if;
      end loop;
    end $$`;
}

const EMPTIED_BY_DELETE_BYTES = 65_536;

/** Waits for transactions that still write there. A table without a page was never written to. Migrations are those of the template again. */
function emptyTables(template: string, schema: string): string {
  return `do $$
    declare one text; bytes bigint;
    begin
      set local lock_timeout = '5s';
      for one in select relname from pg_class where relnamespace = to_regnamespace('${schema}') and relkind = 'r' loop
        execute format('lock table ${schema}.%I in access exclusive mode', one);
        bytes := pg_relation_size(format('${schema}.%I', one)::regclass);
        if bytes > ${EMPTIED_BY_DELETE_BYTES} then execute format('truncate ${schema}.%I', one);
        elsif bytes > 0 then execute format('delete from ${schema}.%I', one); end if;
        if one like 'kysely%' then execute format('insert into ${schema}.%I select * from ${template}.%I', one, one); end if;
      end loop;
    end $$`;
}

async function formOf(client: pg.Client, schema: string): Promise<string> {
  const { rows } = await client.query<{ form: string }>(`
    with relations as (select oid, relname, relkind, reltuples from pg_class where relnamespace = to_regnamespace('${schema}')),
    parts as (
      select concat_ws(' ', relname, relkind, case when relkind = 'r' then reltuples end) as part from relations
      union all select concat_ws(' ', relname, attname, atttypid, attnotnull, attisdropped)
        from pg_attribute join relations on relations.oid = attrelid where attnum > 0
      union all select concat_ws(' ', relname, conname, contype) from pg_constraint join relations on relations.oid = conrelid
      union all select concat_ws(' ', relname, tgname) from pg_trigger join relations on relations.oid = tgrelid
      union all select proname from pg_proc where pronamespace = to_regnamespace('${schema}')
    )
    select md5(string_agg(part, ',' order by part)) as form from parts`);
  return rows[0]?.form ?? "";
}

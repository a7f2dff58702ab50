// A schema of a test's own on the PostgreSQL at TEST_DATABASE_URL, dropped at the end.

import { createHash, randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { openPostgresStore } from "../../../src/service/store/postgres.ts";

/** Undefined where the suite has no PostgreSQL: those tests are skipped, and say so. */
export const testDatabaseUrl = process.env.TEST_DATABASE_URL;

export type TestSchema = {
  /** DATABASE_URL of a service that lives in the schema. */
  readonly url: string;
  query(sql: string): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
};

let template: Promise<string> | null = null;

/** Has the service's tables, unless it is to be empty. */
export async function createTestSchema(options: { isEmpty: boolean }): Promise<TestSchema> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const client = new pg.Client({ connectionString: urlOf(name) });
  await client.connect();
  if (options.isEmpty) await client.query(`create schema ${name}`);
  else {
    template ??= makeTemplate(client);
    await client.query(copySchema(await template, name));
  }
  return {
    url: urlOf(name),
    query: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    drop: async () => {
      await client.query(`drop schema ${name} cascade`);
      await client.end();
    },
  };
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
        if one like 'kysely%' then execute format('insert into ${to}.%I select * from ${from}.%I', one, one); end if;
      end loop;
    end $$`;
}

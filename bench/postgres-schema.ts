// A schema of the benchmark's own on the PostgreSQL at BENCH_DATABASE_URL or TEST_DATABASE_URL, dropped at the end.

import { randomBytes } from "node:crypto";
import pg from "pg";
import { opened } from "../scripts/opened.ts";

/** Undefined: there is no PostgreSQL to measure. */
export const benchDatabaseUrl = process.env.BENCH_DATABASE_URL ?? process.env.TEST_DATABASE_URL;

export type Schema = {
  readonly name: string;
  /** DATABASE_URL of a service that lives in the schema. */
  readonly url: string;
  /** To be called when nothing is connected any more. */
  drop(): Promise<void>;
};

/** Null where there is no PostgreSQL. */
export async function createSchema(): Promise<Schema | null> {
  if (benchDatabaseUrl === undefined) return null;
  const name = `bench_${randomBytes(6).toString("hex")}`;
  const url = new URL(benchDatabaseUrl);
  url.searchParams.set("options", `-c search_path=${name}`);
  await query(`create schema ${name}`);
  return { name, url: url.href, drop: opened(() => query(`drop schema ${name} cascade`)) };
}

async function query(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: benchDatabaseUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Measures on a schema of its own. Null where there is no PostgreSQL. */
export async function onPostgres<Figures>(
  measure: (schema: Schema) => Promise<Figures>,
): Promise<Figures | null> {
  const schema = await createSchema();
  if (schema === null) return null;
  const figures = await measure(schema);
  await schema.drop();
  return figures;
}

// Vitest's global set-up of schemas on PostgreSQL: all that a run makes have one beginning of their names, and go at its end.

import { randomBytes } from "node:crypto";
import pg from "pg";

/** Tells the processes that run tests how their schemas' names begin. */
const VARIABLE = "TEST_SCHEMA_PREFIX";

export function setup(): () => Promise<void> {
  const prefix = `test_${randomBytes(4).toString("hex")}_`;
  process.env[VARIABLE] = prefix;
  return async () => {
    if (process.env.TEST_DATABASE_URL !== undefined) await dropAll(process.env.TEST_DATABASE_URL, prefix);
  };
}

export function schemaPrefix(): string {
  return process.env[VARIABLE] ?? "test_";
}

async function dropAll(url: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select nspname as name from pg_namespace where starts_with(nspname, $1)",
    [prefix],
  );
  // One at a time: a transaction has room for the locks of some thousand relations.
  for (const { name } of rows) await client.query(`drop schema ${name} cascade`);
  await client.end();
}

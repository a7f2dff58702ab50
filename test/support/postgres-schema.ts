// A schema of a test's own on the PostgreSQL at TEST_DATABASE_URL, dropped at the end.

import { randomBytes } from "node:crypto";
import pg from "pg";

/** Undefined where the suite has no PostgreSQL: those tests are skipped, and say so. */
export const testDatabaseUrl = process.env.TEST_DATABASE_URL;

export type TestSchema = {
  /** DATABASE_URL of a service that lives in the schema. */
  readonly url: string;
  query(sql: string): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
};

export async function createTestSchema(): Promise<TestSchema> {
  if (testDatabaseUrl === undefined) throw new Error("TEST_DATABASE_URL is not set.");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const url = new URL(testDatabaseUrl);
  // No test ends this server: waiting until each commit is on the disk would show nothing.
  url.searchParams.set("options", `-c search_path=${name} -c synchronous_commit=off`);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`create schema ${name}`);
  return {
    url: url.href,
    query: async (sql) => (await client.query<Record<string, unknown>>(sql)).rows,
    drop: async () => {
      await client.query(`drop schema ${name} cascade`);
      await client.end();
    },
  };
}

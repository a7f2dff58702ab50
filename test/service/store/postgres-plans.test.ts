import { describe, expect, it } from "vitest";
import { PostgresPool } from "../../../src/service/store/postgres-pool.ts";
import { createTestSchema, testDatabaseUrl } from "../../support/stores/postgres-schema.ts";

const EXECUTIONS = 7;

describe.skipIf(testDatabaseUrl === undefined)("a statement on PostgreSQL (needs TEST_DATABASE_URL)", () => {
  it("is planned once a connection, whatever its values are", async () => {
    const schema = await createTestSchema({ isEmpty: false });
    const pool = new PostgresPool(schema.url);
    const client = await pool.connect();
    const text =
      `select asking.caller, agents.* from unnest($1::text[]) with ordinality as asking (id, caller)
      join agents on agents.id = asking.id`.replace(/\s+/g, " ");
    for (let index = 0; index < EXECUTIONS; index += 1) await client.query(text, [[`agent ${index}`]]);
    const { rows } = await client.query(
      "select generic_plans as once, custom_plans as again from pg_prepared_statements where statement = $1",
      [text],
    );
    expect(rows).toEqual([{ once: EXECUTIONS, again: 0 }]);
    client.release();
    await pool.end();
    await schema.drop();
  });
});

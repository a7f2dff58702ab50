import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PostgresClient } from "../../../src/service/store/postgres-client.ts";
import { PostgresPool } from "../../../src/service/store/postgres-pool.ts";
import { MAX_PREPARED } from "../../../src/service/store/prepared-statements.ts";
import { createTestSchema, type TestSchema } from "../../support/stores/postgres-schema.ts";

const EXECUTIONS = 7;
const text = `select asking.caller, agents.* from unnest($1::text[]) with ordinality as asking (id, caller)
  join agents on agents.id = asking.id`.replace(/\s+/g, " ");

describe("a statement on PostgreSQL", { tags: ["postgres"] }, () => {
  let schema: TestSchema;
  let pool: PostgresPool;
  let client: PostgresClient;

  beforeEach(async () => {
    schema = await createTestSchema({ isEmpty: false });
    pool = new PostgresPool(schema.url);
    client = await pool.connect();
  });
  afterEach(async () => {
    client.release();
    await pool.end();
    await schema.drop();
  });

  async function execute(times: number): Promise<void> {
    for (let index = 0; index < times; index += 1) await client.query(text, [[`agent ${index}`]]);
  }

  async function plans(): Promise<unknown> {
    const { rows } = await client.query(
      "select generic_plans as once, custom_plans as again from pg_prepared_statements where statement = $1",
      [text],
    );
    return rows;
  }

  async function executeOthers(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) await client.query(`select ${index} as other`, []);
  }

  async function countPrepared(): Promise<unknown> {
    const { rows } = await client.query<{ count: number }>(
      "select count(*) as count from pg_prepared_statements",
      [],
    );
    return rows[0]?.count;
  }

  it("is planned once a connection, whatever its values are", async () => {
    await execute(EXECUTIONS);
    expect(await plans()).toEqual([{ once: EXECUTIONS, again: 0 }]);
  });

  it("is planned once after any number of other statements, too", async () => {
    await executeOthers(MAX_PREPARED + 10);
    await execute(EXECUTIONS);
    expect(await plans()).toEqual([{ once: EXECUTIONS, again: 0 }]);
  });

  it("stays prepared while it is used, and makes room when it is not", async () => {
    await execute(1);
    await executeOthers(MAX_PREPARED - 1);
    await execute(EXECUTIONS);
    await executeOthers(MAX_PREPARED - 10);
    expect(await plans()).toEqual([{ once: EXECUTIONS + 1, again: 0 }]);
    await executeOthers(2 * MAX_PREPARED);
    expect(await plans()).toEqual([]);
    expect(await countPrepared()).toBeLessThanOrEqual(MAX_PREPARED + 1);
  });

  it("that fails each time leaves nothing on the server", async () => {
    const before = Number(await countPrepared());
    for (let index = 0; index < EXECUTIONS; index += 1) {
      await expect(client.query("select 1 / $1::int as share", [0])).rejects.toThrow("division by zero");
    }
    expect(await countPrepared()).toBe(before);
  });
});

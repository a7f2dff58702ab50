// The schemas that tests are given on PostgreSQL: each as if it were new, whatever the test before has done.

import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { createTestSchema, type TestSchema } from "../../support/stores/postgres-schema.ts";

const TABLE = "service_secrets";
const INSERT = `insert into ${TABLE} (name, value, created_at) values ('a', 'b', 1)`;

describe("a schema of a test", { tags: ["postgres"] }, () => {
  const given: TestSchema[] = [];
  const take = async () => {
    const schema = await createTestSchema({ isEmpty: false });
    given.push(schema);
    return schema;
  };
  afterEach(async () => {
    for (const schema of given.splice(0)) await schema.drop();
  });
  const giveBack = async () => await given.pop()?.drop();
  const oidOf = async (schema: TestSchema) =>
    (await schema.query(`select '${TABLE}'::regclass::oid as oid`))[0]?.oid;
  const countIn = async (schema: TestSchema, table: string) =>
    Number((await schema.query(`select count(*) as count from ${table}`))[0]?.count);

  it("has the tables of the test before, without a row", async () => {
    const first = await take();
    const oid = await oidOf(first);
    await first.query(INSERT);
    await giveBack();
    const second = await take();
    expect(await oidOf(second)).toBe(oid);
    expect(second.url).not.toBe(first.url);
    expect(await countIn(second, TABLE)).toBe(0);
  });

  it("has the migrations of this version, whatever was told of others", async () => {
    const first = await take();
    const migrations = await countIn(first, "kysely_migration");
    await first.query("insert into kysely_migration values ('999-later', '2030-01-01T00:00:00.000Z')");
    await giveBack();
    expect(await countIn(await take(), "kysely_migration")).toBe(migrations);
  });

  it.each([
    `alter table ${TABLE} add column later text`,
    `drop table ${TABLE} cascade`,
    `alter table ${TABLE} drop constraint ${TABLE}_pkey`,
    "create table later (id text)",
    `analyze ${TABLE}`,
  ])("is another one after %s", async (statement) => {
    const first = await take();
    const oid = await oidOf(first);
    await first.query(statement);
    await giveBack();
    expect(await oidOf(await take())).not.toBe(oid);
  });

  it("has nothing of a session that was left in the middle of a transaction, and that finds it no more", async () => {
    const first = await take();
    const left = new pg.Client({ connectionString: first.url });
    await left.connect();
    try {
      await left.query("begin");
      await left.query(INSERT);
      await giveBack();
      const taking = take();
      await left.query("commit");
      expect(await countIn(await taking, TABLE)).toBe(0);
      await expect(left.query(`select * from ${TABLE}`)).rejects.toThrow("does not exist");
    } finally {
      await left.end();
    }
  });

  it("has nothing of what the test before has set", async () => {
    await (await take()).query("set enable_seqscan = off");
    await giveBack();
    expect(await (await take()).query("show enable_seqscan")).toEqual([{ enable_seqscan: "on" }]);
  });
});

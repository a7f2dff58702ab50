// What opening a transaction costs: one object. Nouns are made when they are used, methods never.

import { Kysely, SqliteDialect } from "kysely";
import { describe, expect, it } from "vitest";
import { portableWrites } from "../../../src/service/store/frequent-writes.ts";
import { oneStatementWrites } from "../../../src/service/store/one-statement-writes.ts";
import { StoreQueries } from "../../../src/service/store/queries.ts";
import type { Database } from "../../../src/service/store/tables.ts";

const db = new Kysely<Database>({
  dialect: new SqliteDialect({ database: () => Promise.reject(new Error("Nothing is asked here.")) }),
});

const ask = () => Promise.reject(new Error("Nothing is asked here."));
const together = ask;

const leaseNow = async () => 0;
const nouns = Object.entries(Object.getOwnPropertyDescriptors(StoreQueries.prototype)).flatMap(
  ([name, { get }]) => (get === undefined ? [] : [name]),
);

describe.each([
  ["SQLite", { db, ask, hasRowLocks: false, leaseNow }, portableWrites],
  ["PostgreSQL", { db, ask, together, hasRowLocks: true, leaseNow }, oneStatementWrites],
] as const)("the queries of a transaction on %s", (_name, connection, writes) => {
  it("hold no property of their own for a noun or a method", () => {
    expect(nouns).toEqual(
      expect.arrayContaining(["accounts", "events", "queue", "runs", "runSecrets", "packs"]),
    );
    expect(Reflect.ownKeys(new StoreQueries(connection, writes))).toEqual([]);
  });

  it.each(nouns)("share the methods of %s with every other transaction", (name) => {
    const [one, other] = [1, 2].map(() => Reflect.get(new StoreQueries(connection, writes), name));
    expect(one).not.toBe(other);
    expect(Object.getPrototypeOf(one)).toBe(Object.getPrototypeOf(other));
    expect(Reflect.ownKeys(one)).toEqual([]);
  });

  it("make a noun once", () => {
    const queries = new StoreQueries(connection, writes);
    expect(queries.runs).toBe(queries.runs);
  });
});

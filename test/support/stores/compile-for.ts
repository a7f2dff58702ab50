// The text of a statement for a store, with its values in it: for a look at its plan past the store.

import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { StoreKind } from "./stores.ts";

export function compileFor({ name }: StoreKind, statement: RawBuilder<unknown>): string {
  const isSqlite = name === "SQLite";
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => (isSqlite ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => new DummyDriver(),
      createIntrospector: (one) => (isSqlite ? new SqliteIntrospector(one) : new PostgresIntrospector(one)),
      createQueryCompiler: () => (isSqlite ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
    },
  });
  const { sql, parameters } = statement.compile(db);
  let next = 0;
  return sql.replace(isSqlite ? /\?/g : /\$\d+/g, () => {
    const value = parameters[next];
    next += 1;
    return typeof value === "number" ? String(value) : `'${String(value)}'`;
  });
}

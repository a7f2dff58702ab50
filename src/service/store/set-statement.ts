// A write of many items in one statement.

import { CompiledQuery, type Kysely } from "kysely";
import { Batches } from "./batches.ts";
import { isOfItsItems } from "./postgres-retries.ts";
import type { Database } from "./tables.ts";

const MAX_ITEMS = 100;
/** Of one statement. */
const MAX_RUNNING = 2;

/** The rows of a statement. */
export type RunSql = <Row>(sql: string, values: readonly unknown[]) => Promise<readonly Row[]>;

export type SetStatement<Item, Outcome> = {
  /** All items, or none. Returns an outcome for each, in order. */
  readonly run: (sql: RunSql, items: readonly Item[]) => Promise<readonly Outcome[]>;
  /** No row is written twice by one statement: two items with the same key are not in one. */
  readonly keysOf: (item: Item) => readonly string[];
};

/** Does one item, alone or together with those of other callers. */
export type Together = <Item, Outcome>(
  statement: SetStatement<Item, Outcome>,
  item: Item,
) => Promise<Outcome>;

export function sqlOn(db: Kysely<Database>): RunSql {
  return async <Row>(sql: string, values: readonly unknown[]) =>
    (await db.executeQuery<Row>(CompiledQuery.raw(sql, [...values]))).rows;
}

/** Each item by itself, within a transaction. */
export function alone(db: Kysely<Database>): Together {
  const sql = sqlOn(db);
  return async <Item, Outcome>(statement: SetStatement<Item, Outcome>, item: Item) => {
    const [outcome] = await statement.run(sql, [item]);
    return outcome as Outcome;
  };
}

/** The items of all callers. */
export function together(db: Kysely<Database>): Together {
  const sql = sqlOn(db);
  const known = new Map<unknown, unknown>();
  return async <Item, Outcome>(statement: SetStatement<Item, Outcome>, item: Item) => {
    let batches = known.get(statement) as Batches<Item, Outcome> | undefined;
    if (batches === undefined) {
      batches = new Batches({
        run: (items) => statement.run(sql, items),
        keysOf: statement.keysOf,
        maxItems: MAX_ITEMS,
        maxRunning: MAX_RUNNING,
        isWorthTryingAlone: isOfItsItems,
      });
      known.set(statement, batches);
    }
    return await batches.add(item);
  };
}

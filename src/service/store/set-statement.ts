// A write of many items in one statement.

import { CompiledQuery, type Kysely } from "kysely";
import { Batches } from "./batches.ts";
import { type Send, toObjects } from "./postgres-pipeline.ts";
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
  /** The same without the wait for a lane that somebody has locked. Its items get null, and wait apart from the others. */
  readonly unlocked?: {
    readonly laneOf: (item: Item) => string;
    readonly run: (sql: RunSql, items: readonly Item[]) => Promise<readonly (Outcome | null)[]>;
  };
};

/** Does one item, alone or together with those of other callers. */
export type Together = <Item, Outcome>(
  statement: SetStatement<Item, Outcome>,
  item: Item,
) => Promise<Outcome>;

/** On a transaction, or on any connection. */
export function sqlOn(db: Kysely<Database>): RunSql {
  return async <Row>(sql: string, values: readonly unknown[]) =>
    (await db.executeQuery<Row>(CompiledQuery.raw(sql, [...values]))).rows;
}

/** The same without the detour. */
function sqlBy(send: Send): RunSql {
  return async <Row>(text: string, values: readonly unknown[]) => {
    const [answer] = await send([{ text, values }]);
    return answer === undefined ? [] : toObjects<Row>(answer);
  };
}

/** Each item by itself, within a transaction. */
export function alone(db: Kysely<Database>): Together {
  const sql = sqlOn(db);
  return async <Item, Outcome>(statement: SetStatement<Item, Outcome>, item: Item) => {
    const [outcome] = await statement.run(sql, [item]);
    return outcome as Outcome;
  };
}

/** Sends what waits for the lock of a lane, or what waits for none. */
export type SendIn = (lane: string | null) => Send;

/** The items of all callers. */
export function together(sendIn: SendIn): Together {
  const known = new Map<unknown, unknown>();
  return async <Item, Outcome>(statement: SetStatement<Item, Outcome>, item: Item) => {
    let writes = known.get(statement) as SetWrites<Item, Outcome> | undefined;
    if (writes === undefined) {
      writes = new SetWrites(statement, sendIn);
      known.set(statement, writes);
    }
    return await writes.add(item);
  };
}

type Lane<Item, Outcome> = { readonly batches: Batches<Item, Outcome>; waiting: number };

class SetWrites<Item, Outcome> {
  readonly #statement: SetStatement<Item, Outcome>;
  readonly #sendIn: SendIn;
  readonly #all: Batches<Item, Outcome | null>;
  /** Those that were locked, for as long as somebody waits for them. */
  readonly #lanes = new Map<string, Lane<Item, Outcome>>();

  constructor(statement: SetStatement<Item, Outcome>, sendIn: SendIn) {
    this.#statement = statement;
    this.#sendIn = sendIn;
    this.#all = this.#batches(statement.unlocked?.run ?? statement.run, null);
  }

  async add(item: Item): Promise<Outcome> {
    const lane = this.#statement.unlocked?.laneOf(item);
    if (lane === undefined || !this.#lanes.has(lane)) {
      const outcome = await this.#all.add(item);
      if (lane === undefined || outcome !== null) return outcome as Outcome;
    }
    return await this.#addTo(lane, item);
  }

  async #addTo(name: string, item: Item): Promise<Outcome> {
    const lane = this.#lanes.get(name) ?? { batches: this.#batches(this.#statement.run, name), waiting: 0 };
    this.#lanes.set(name, lane);
    lane.waiting += 1;
    try {
      return await lane.batches.add(item);
    } finally {
      lane.waiting -= 1;
      if (lane.waiting === 0) this.#lanes.delete(name);
    }
  }

  #batches<Result>(
    run: (sql: RunSql, items: readonly Item[]) => Promise<readonly Result[]>,
    lane: string | null,
  ): Batches<Item, Result> {
    const sql = sqlBy(this.#sendIn(lane));
    return new Batches({
      run: (items) => run(sql, items),
      keysOf: this.#statement.keysOf,
      maxItems: MAX_ITEMS,
      maxRunning: lane === null ? MAX_RUNNING : 1,
      isWorthTryingAlone: isOfItsItems,
    });
  }
}

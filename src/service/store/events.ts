// The durable events of runs in SQL.

import { sql } from "kysely";
import type { Appended, EventBatch, EventQuery, EventStore, RunEnd } from "../core/runs/queue-port.ts";
import type { StoredEvent } from "../core/runs/run-record.ts";
import type { Connection } from "./connection.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { SqlLedger } from "./ledger.ts";
import { row, type TableOf } from "./row.ts";
import { integer, named, text } from "./row-columns.ts";
import { outcomeRow, runRow } from "./run-rows.ts";

export const eventRow = row<StoredEvent>("run_events")(
  { seq: integer, at: integer, json: named("event", text) },
  { runId: text },
);

export type RunEventsTable = TableOf<typeof eventRow>;

declare module "./tables.ts" {
  interface Database {
    run_events: RunEventsTable;
  }
}

export class SqlEvents implements EventStore {
  readonly #ask: KeptQueryRunner;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#ask = connection.ask;
    this.#connection = connection;
  }

  async list(query: EventQuery): Promise<readonly StoredEvent[]> {
    return await this.#ask(eventsAfter, query);
  }

  async append(batch: EventBatch): Promise<Appended | null> {
    const [row] = await this.#ask(makeRoom, { ...batch, count: batch.jsons.length });
    if (row === undefined) return null;
    await this.#insert(batch, row.last_seq);
    return { lastSeq: row.last_seq, status: runRow.readField("status", row.status) };
  }

  async end(end: RunEnd): Promise<boolean> {
    const { jsons, outcome, was, settlement } = end;
    const [row] = await this.#ask(endRun, {
      ...end,
      ...outcomeRow.write(outcome),
      was_status: was.status,
      was_hold: was.holdMicroUsd,
      count: jsons.length,
    });
    if (row === undefined) return false;
    await this.#insert(end, row.last_seq);
    await new SqlLedger(this.#connection).settle(settlement);
    return true;
  }

  async #insert({ runId, now, jsons }: EventBatch, lastSeq: number): Promise<void> {
    for (let at = 0; at < jsons.length; at += MAX_ROWS) {
      const rows = jsons.slice(at, at + MAX_ROWS);
      const insert = insertsByCount[rows.length - 1];
      if (insert === undefined) throw new RangeError(`No statement inserts ${rows.length} events.`);
      await this.#ask(insert, { runId, now, first: lastSeq - jsons.length + 1 + at, ...rows });
    }
  }
}

const eventsAfter = keepQuery<EventQuery>(
  "runId",
  "after",
  "limit",
)((db, { runId, after, limit }) =>
  db
    .selectFrom("run_events")
    .select(["seq", "at", "event as json"])
    .where("run_id", "=", runId)
    .where("seq", ">", after)
    .orderBy("seq")
    // SQLite prepares a statement anew each time that a value of its own is bound to its limit.
    .limit(sql<number>`${limit} + 0`),
);

export const insertEvent = keepQuery<RunEventsTable>(...eventRow.columns)((db, values) =>
  db.insertInto("run_events").values(values),
);

/** Events of one statement. */
const MAX_ROWS = 16;

type EventRows = {
  readonly runId: string;
  readonly now: number;
  readonly first: number;
  readonly [place: `${number}`]: string;
};

/** Statements that insert 1, 2, … `MAX_ROWS` events with numbers from `first` on. */
const insertsByCount = Array.from({ length: MAX_ROWS }, (_, index) => insertEvents(index + 1));

function insertEvents(count: number) {
  const places = Array.from({ length: count }, (_, place) => `${place}` as const);
  return keepQuery<EventRows>(
    "runId",
    "now",
    "first",
    ...places,
  )((db, { runId, now, first, ...events }) =>
    db.insertInto("run_events").values(
      places.map(
        (place) =>
          ({
            run_id: runId,
            seq: sql<number>`${first} + ${sql.lit(Number(place))}`,
            at: now,
            event: events[place] ?? "",
          }) satisfies Readonly<Record<keyof RunEventsTable, unknown>>,
      ),
    ),
  );
}

type Room = { readonly runId: string; readonly fence: number; readonly now: number; readonly count: number };

/** Reserves the numbers of a batch, if the run is still `fence`'s. */
const makeRoom = keepQuery<Room>(
  "runId",
  "fence",
  "now",
  "count",
)((db, { runId, fence, now, count }) =>
  db
    .updateTable("runs")
    .set((update) => ({ last_seq: update("last_seq", "+", count), heartbeat_at: now }))
    .where("id", "=", runId)
    .where("fence", "=", fence)
    .where("status", "in", ["running", "cancelling"])
    .returning(["last_seq", "status"]),
);

type EndRow = Room & TableOf<typeof outcomeRow> & { readonly was_status: string; readonly was_hold: number };

/** Ends a run as `makeRoom` makes room, if it is still as it was read. */
const endRun = keepQuery<EndRow>(
  "runId",
  "fence",
  "now",
  "count",
  "was_status",
  "was_hold",
  ...outcomeRow.columns,
)((db, { runId, fence, now, count, was_status, was_hold, ...outcome }) =>
  db
    .updateTable("runs")
    .set((update) => ({ ...outcome, last_seq: update("last_seq", "+", count), heartbeat_at: now }))
    .where("id", "=", runId)
    .where("fence", "=", fence)
    .where("status", "=", was_status)
    .where("hold_micro_usd", "=", was_hold)
    .returning("last_seq"),
);

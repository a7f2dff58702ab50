// The durable events of runs in SQL.

import type { Kysely } from "kysely";
import { runStatuses } from "../../contract/runs/run.ts";
import type { Appended, EventBatch, EventQuery, EventStore } from "../core/ports/store/events.ts";
import type { StoredEvent } from "../core/runs/run-record.ts";
import { oneOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { toOutcomeColumns } from "./run-rows.ts";
import type { Database } from "./tables.ts";

/** Rows of one INSERT: SQLite binds at most 32,766 values. */
const MAX_EVENT_ROWS = 1000;

export class SqlEvents implements EventStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async list({ runId, after, limit }: EventQuery): Promise<readonly StoredEvent[]> {
    return await this.#db
      .selectFrom("run_events")
      .select(["seq", "at", "event as json"])
      .where("run_id", "=", runId)
      .where("seq", ">", after)
      .orderBy("seq")
      .limit(limit)
      .execute();
  }

  async append(batch: EventBatch): Promise<Appended | null> {
    const { runId, now, jsons } = batch;
    const row = await makeRoom(this.#db, batch).executeTakeFirst();
    if (row === undefined) return null;
    const first = row.last_seq - jsons.length + 1;
    const rows = jsons.map((event, index) => ({ run_id: runId, seq: first + index, at: now, event }));
    for (let begin = 0; begin < rows.length; begin += MAX_EVENT_ROWS) {
      await this.#db
        .insertInto("run_events")
        .values(rows.slice(begin, begin + MAX_EVENT_ROWS))
        .execute();
    }
    return toAppended(row);
  }
}

/** Reserves the numbers of a batch, if the run is still `fence`'s, and ends the run where the batch says so. */
export function makeRoom(db: Kysely<Database>, { runId, fence, now, jsons, outcome }: EventBatch) {
  return db
    .updateTable("runs")
    .set((update) => ({
      ...(outcome === undefined ? {} : toOutcomeColumns(outcome)),
      last_seq: update("last_seq", "+", jsons.length),
      heartbeat_at: now,
    }))
    .where("id", "=", runId)
    .where("fence", "=", fence)
    .where("status", "in", ["running", "cancelling"])
    .returning(["last_seq", "status"]);
}

export function toAppended(row: { readonly last_seq: number; readonly status: string }): Appended {
  return { lastSeq: row.last_seq, status: oneOf(runStatuses, row.status, "runs.status") };
}

// The most frequent writes, each in one statement: a PostgreSQL is a network round trip away, and a lock is held during
// every round trip that follows it.

import { type Kysely, sql } from "kysely";
import { type RunStatus, runStatuses } from "../../contract/runs/run.ts";
import { HELD } from "../core/money/ledger.ts";
import type { Hold } from "../core/money/posting.ts";
import type { Appended, EventBatch } from "../core/ports/store/events.ts";
import type { Settlement } from "../core/ports/store/ledger.ts";
import type { Beat, StartedRun } from "../core/ports/store/queue.ts";
import type { RunInput, RunRecord } from "../core/runs/run-record.ts";
import { oneOf, parseRunInput } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { makeRoom, SqlEvents, toAppended } from "./events.ts";
import { assertTakesNothing, SqlLedger, sumReceived, toPostingRow } from "./ledger.ts";
import type { FrequentWrites } from "./queries.ts";
import { oldestQueued, SqlQueue, startQueued } from "./queue.ts";
import { toRow, toRun } from "./run-rows.ts";
import { countRun, SqlRuns } from "./runs.ts";
import type { Database } from "./tables.ts";

class PostgresRuns extends SqlRuns {
  readonly #db: Kysely<Database>;

  constructor(connection: Connection) {
    super(connection);
    this.#db = connection.db;
  }

  override async insert(run: RunRecord, input: RunInput): Promise<void> {
    await this.#db
      .with("counted", () => countRun(this.#db, run))
      .with("asked", (inner) =>
        inner.insertInto("run_inputs").values({ run_id: run.id, input: JSON.stringify(input) }),
      )
      .insertInto("runs")
      .values({
        ...toRow(run),
        thread_seq: sql<number>`(select run_count from counted)`,
        content: "kept",
      })
      .execute();
  }
}

class PostgresEvents extends SqlEvents {
  readonly #db: Kysely<Database>;

  constructor(connection: Connection) {
    super(connection);
    this.#db = connection.db;
  }

  override async append(batch: EventBatch): Promise<Appended | null> {
    const { runId, now, jsons } = batch;
    const row = await this.#db
      .with("moved", () => makeRoom(this.#db, batch))
      .with("appended", (inner) =>
        inner
          .insertInto("run_events")
          .columns(["run_id", "seq", "at", "event"])
          .expression(
            sql`select ${runId}::text, moved.last_seq - ${jsons.length}::bigint + item.place, ${now}::bigint, item.event
              from moved, unnest(${jsons}::text[]) with ordinality as item (event, place)`,
          ),
      )
      .selectFrom("moved")
      .selectAll()
      .executeTakeFirst();
    return row === undefined ? null : toAppended(row);
  }
}

class PostgresQueue extends SqlQueue {
  readonly #db: Kysely<Database>;

  constructor(connection: Connection) {
    super(connection);
    this.#db = connection.db;
  }

  override async start({ runId, now }: { runId: string; now: number }): Promise<StartedRun | null> {
    return await startOne(this.#db, startQueued(this.#db, now).where("id", "=", runId));
  }

  override async startOldest({ now }: { now: number }): Promise<StartedRun | null> {
    const oldest = oldestQueued(this.#db, { skipLocked: true });
    return await startOne(this.#db, startQueued(this.#db, now).where("id", "=", oldest));
  }

  override async beat({ runs, now }: Beat): Promise<ReadonlyMap<string, RunStatus>> {
    // Does not wait for a run that another transaction has locked: its heartbeat is written at the next beat, and most
    // often that transaction writes one itself.
    const { rows } = await sql<{ id: string; status: string }>`
      with beat as (
        select * from unnest(${runs.map(({ runId }) => runId)}::text[], ${runs.map(({ fence }) => fence)}::bigint[])
          as beat (id, fence)
      ), held as (
        select runs.id, runs.status from runs join beat on runs.id = beat.id and runs.fence = beat.fence
        where runs.status in ('running', 'cancelling')
      ), free as (
        select runs.id from runs join beat on runs.id = beat.id and runs.fence = beat.fence
        where runs.status in ('running', 'cancelling') for update of runs skip locked
      ), beaten as (
        update runs set heartbeat_at = ${now}::bigint from free where runs.id = free.id
      )
      select id, status from held`.execute(this.#db);
    return new Map<string, RunStatus>(
      rows.map(({ id, status }) => [id, oneOf(runStatuses, status, "runs.status")]),
    );
  }
}

class PostgresLedger extends SqlLedger {
  readonly #db: Kysely<Database>;

  constructor(connection: Connection) {
    super(connection);
    this.#db = connection.db;
  }

  override async hold({ id, at, billingAccount, microUsd, runId }: Hold): Promise<boolean> {
    const { rows } = await sql`
      with spent as (
        update ledger_accounts set balance_micro_usd = balance_micro_usd - ${microUsd}::bigint
        where id = ${billingAccount} and balance_micro_usd >= ${microUsd}::bigint returning id
      )
      insert into ledger_postings (id, at, kind, from_account, to_account, micro_usd, run_id)
      select ${id}::text, ${at}::bigint, 'hold', spent.id, ${HELD}::text, ${microUsd}::bigint, ${runId}::text
      from spent returning id`.execute(this.#db);
    return rows.length === 1;
  }

  override async settle({ billingAccount, postings }: Settlement): Promise<number> {
    if (postings.length === 0) return await super.settle({ billingAccount, postings });
    for (const posting of postings) assertTakesNothing(posting);
    const written = this.#db.with("written", (inner) =>
      inner.insertInto("ledger_postings").values(postings.map(toPostingRow)),
    );
    const received = sumReceived(billingAccount, postings);
    // A billing account that receives nothing is not locked: other transactions can spend from it meanwhile.
    const row = await (received === 0
      ? written.selectFrom("ledger_accounts").where("id", "=", billingAccount).select("balance_micro_usd")
      : written
          .updateTable("ledger_accounts")
          .set((update) => ({ balance_micro_usd: update("balance_micro_usd", "+", received) }))
          .where("id", "=", billingAccount)
          .returning("balance_micro_usd")
    ).executeTakeFirst();
    return row?.balance_micro_usd ?? 0;
  }
}

/** Takes a run and opens its stream. */
async function startOne(
  db: Kysely<Database>,
  started: ReturnType<typeof startQueued>,
): Promise<StartedRun | null> {
  const row = await db
    .with("started", () => started)
    .with("opened", (inner) =>
      inner
        .insertInto("run_events")
        .columns(["run_id", "seq", "at", "event"])
        .expression((from) =>
          from.selectFrom("started").select(["id", "last_seq", "heartbeat_at", opening.as("event")]),
        ),
    )
    .selectFrom("started")
    .innerJoin("run_inputs", "run_inputs.run_id", "started.id")
    .selectAll("started")
    .select("run_inputs.input")
    .executeTakeFirst();
  return row === undefined ? null : { run: toRun(row), input: parseRunInput(row.input) };
}

/** The event that opens a stream, as SqlQueue writes it. */
const opening = sql<string>`'{"type":"RUN_STARTED","threadId":' || to_json(started.thread_id)::text
  || ',"runId":' || to_json(started.id)::text || '}'`;

export const oneStatementWrites: FrequentWrites = {
  Runs: PostgresRuns,
  Events: PostgresEvents,
  Queue: PostgresQueue,
  Ledger: PostgresLedger,
};

// The most frequent writes, each in one statement, and in one statement for many callers: a PostgreSQL is a network round
// trip away, and a lock is held during every round trip that follows it.
// Why: docs/decisions/011-the-runs-table-is-the-queue.md

import type { RunStatus } from "../../contract/runs/run.ts";
import type { Hold } from "../core/money/posting.ts";
import type { KeptEntry } from "../core/runs/journal-port.ts";
import type { Appended, Beat, EventBatch, OldestStart, RunEnd, StartedRun } from "../core/runs/queue-port.ts";
import type { Admission, Admitted } from "../core/runs/store-port.ts";
import { admitRuns } from "./admit-runs.ts";
import type { Connection } from "./connection.ts";
import { type RunEventsTable, SqlEvents } from "./events.ts";
import type { FrequentWrites } from "./frequent-writes.ts";
import {
  assertTakesNothing,
  type PostingTable,
  postingRow,
  SqlLedger,
  sumReceived,
  toHoldRow,
} from "./ledger.ts";
import { SqlQueue } from "./queue.ts";
import type { TableOf } from "./row.ts";
import { journalRow, SqlRunJournal } from "./run-journal.ts";
import { outcomeRow, runRow } from "./run-rows.ts";
import { SqlRuns } from "./runs.ts";
import { type RunSql, type SetStatement, sqlOn, type Together } from "./set-statement.ts";
import { startOldestRuns } from "./start-oldest.ts";
import { insertOf, typed, types } from "./statement-columns.ts";

/** Of its body and its tree. */
const LARGE_ENTRY_CHARS = 1_000_000;
/** The key that all of those share: no run has it. */
const LARGE = "";

export type PostgresConnection = Connection & { readonly together: Together };

class PostgresRuns extends SqlRuns {
  readonly #together: Together;

  constructor(connection: PostgresConnection) {
    super(connection);
    this.#together = connection.together;
  }

  override async admit(admission: Admission): Promise<Admitted> {
    return await this.#together(admitRuns, admission);
  }
}

class PostgresEvents extends SqlEvents {
  readonly #together: Together;

  constructor(connection: PostgresConnection) {
    super(connection);
    this.#together = connection.together;
  }

  override async append(batch: EventBatch): Promise<Appended | null> {
    return await this.#together(appendEvents, batch);
  }

  override async end(end: RunEnd): Promise<boolean> {
    for (const posting of end.settlement.postings) assertTakesNothing(posting);
    return await this.#together(endRuns, end);
  }
}

class PostgresJournal extends SqlRunJournal {
  readonly #together: Together;

  constructor(connection: PostgresConnection) {
    super(connection);
    this.#together = connection.together;
  }

  override async keep(kept: KeptEntry): Promise<Appended | null> {
    return await this.#together(keepEntries, kept);
  }
}

class PostgresQueue extends SqlQueue {
  readonly #together: Together;
  readonly #sql: RunSql;

  constructor(connection: PostgresConnection) {
    super(connection);
    this.#together = connection.together;
    this.#sql = sqlOn(connection.db);
  }

  override async startOldest(start: OldestStart): Promise<StartedRun | null> {
    return await this.#together(startOldestRuns, start);
  }

  override async beat({ runs, now }: Beat): Promise<ReadonlyMap<string, RunStatus>> {
    const rows = await this.#sql<{ id: string; status: string }>(BEAT, [
      runs.map(({ runId }) => runId),
      runs.map(({ fence }) => fence),
      now,
    ]);
    return new Map<string, RunStatus>(rows.map(({ id, status }) => [id, runRow.readField("status", status)]));
  }
}

class PostgresLedger extends SqlLedger {
  readonly #sql: RunSql;

  constructor(connection: PostgresConnection) {
    super(connection);
    this.#sql = sqlOn(connection.db);
  }

  override async hold(hold: Hold): Promise<boolean> {
    const values = toHoldRow(hold);
    return (
      (
        await this.#sql(
          HOLD,
          postingRow.columns.map((name) => values[name]),
        )
      ).length === 1
    );
  }
}

/** Sorted: two statements that lock the same runs lock them in the same order. */
function byRun<Item extends { readonly runId: string }>(items: readonly Item[]): Item[] {
  return [...items].sort((one, other) => (one.runId < other.runId ? -1 : 1));
}

const appendEvents: SetStatement<EventBatch, Appended | null> = {
  keysOf: ({ runId }) => [runId],
  run: async (sql, items) => {
    const rows = byRun(items).map(batchRow);
    return appendedBy(items, await sql<MovedRun>(APPEND, [JSON.stringify(rows)]));
  },
};

const keepEntries: SetStatement<KeptEntry, Appended | null> = {
  // No statement grows by more than one large entry.
  keysOf: ({ runId, entry: { body, tree } }) =>
    body.length + (tree?.length ?? 0) > LARGE_ENTRY_CHARS ? [runId, LARGE] : [runId],
  run: async (sql, items) => {
    const rows = byRun(items).map((item) => ({
      ...batchRow(item),
      ...journalRow.write(item.entry, { runEndedAt: null }),
      empties_bodies_before: item.emptiesBodiesBefore,
      empties_trees_before: item.emptiesTreesBefore,
    }));
    return appendedBy(items, await sql<MovedRun>(KEEP, [JSON.stringify(rows)]));
  },
};

type MovedRun = { readonly id: string; readonly last_seq: number; readonly status: string };

function batchRow({ runId: run_id, fence, now, jsons }: EventBatch) {
  return { run_id, fence, now, count: jsons.length, events: jsons };
}

function appendedBy(items: readonly EventBatch[], moved: readonly MovedRun[]): (Appended | null)[] {
  const byId = new Map(moved.map((row) => [row.id, row]));
  return items.map(({ runId }) => {
    const row = byId.get(runId);
    if (row === undefined) return null;
    return { lastSeq: row.last_seq, status: runRow.readField("status", row.status) };
  });
}

const endRuns: SetStatement<RunEnd, boolean> = {
  keysOf: ({ runId }) => [runId],
  run: async (sql, items) => {
    const rows = byRun(items).map(({ runId: run_id, fence, now, jsons, outcome, was, settlement }) => {
      const { billingAccount: wallet, postings } = settlement;
      return {
        run_id,
        fence,
        now,
        count: jsons.length,
        events: jsons,
        ...outcomeRow.write(outcome),
        was_status: was.status,
        was_hold: was.holdMicroUsd,
        wallet,
        received: sumReceived(wallet, postings),
        postings: postings.map((posting) => postingRow.write(posting, { billingAccount: wallet })),
      };
    });
    const ended = new Set((await sql<{ id: string }>(END, [JSON.stringify(rows)])).map(({ id }) => id));
    return items.map(({ runId }) => ended.has(runId));
  },
};

const APPENDED_EVENT = insertOf<RunEventsTable>({
  run_id: "moved.id",
  seq: "moved.last_seq - moved.count + event.place",
  at: "moved.now",
  event: "event.event",
});

const APPENDED = `
  insert into run_events (${APPENDED_EVENT.columns})
  select ${APPENDED_EVENT.values}
  from moved cross join lateral json_array_elements_text(moved.events) with ordinality as event (event, place)`;

const APPEND = `
with item as materialized (
  select * from json_to_recordset($1::json)
    as item (run_id text, fence bigint, now bigint, count bigint, events json)
), moved as (
  update runs set last_seq = runs.last_seq + item.count, heartbeat_at = item.now from item
  where runs.id = item.run_id and runs.fence = item.fence and runs.status in ('running', 'cancelling')
  returning runs.id, runs.last_seq, runs.status, item.count, item.now, item.events
), appended as (${APPENDED})
select id, last_seq, status from moved`;

const kept = insertOf<TableOf<typeof journalRow>>({
  run_id: "moved.id",
  entry: "moved.entry",
  kind: "moved.kind",
  version: "moved.version",
  body: "moved.body",
  tree: "moved.tree",
  turn: "moved.turn",
  seq: "case when moved.turn is not null then moved.last_seq end",
  run_ended_at: "moved.run_ended_at",
});

/** What is empty already is not written again: a run may have many entries. */
const KEEP = `
with item as materialized (
  select * from json_to_recordset($1::json) as item (fence bigint, now bigint, count bigint, events json,
    ${typed(journalRow.columnsOfTable)}, empties_bodies_before bigint, empties_trees_before bigint)
), moved as (
  update runs set last_seq = runs.last_seq + item.count, heartbeat_at = item.now from item
  where runs.id = item.run_id and runs.fence = item.fence and runs.status in ('running', 'cancelling')
  returning runs.id, runs.last_seq, runs.status, item.count, item.now, item.events, item.entry, item.kind,
    item.version, item.body, item.tree, item.turn, item.run_ended_at, item.empties_bodies_before,
    item.empties_trees_before
), appended as (${APPENDED}
), kept as (
  insert into run_journal (${kept.columns}) select ${kept.values} from moved
), emptied as (
  update run_journal as earlier set
    body = case when earlier.entry < moved.empties_bodies_before then '' else earlier.body end,
    tree = case when earlier.entry < moved.empties_trees_before and earlier.tree <> '' then '' else earlier.tree end
  from moved where earlier.run_id = moved.id
    and ((earlier.entry < moved.empties_bodies_before and earlier.body <> '')
      or (earlier.entry < moved.empties_trees_before and earlier.tree <> ''))
)
select id, last_seq, status from moved`;

const END = `
with item as materialized (
  select * from json_to_recordset($1::json)
    as item (run_id text, fence bigint, now bigint, count bigint, events json, was_status text, was_hold bigint,
      ${typed(outcomeRow.columnsOfTable)}, wallet text, received bigint, postings json)
), moved as (
  update runs set last_seq = runs.last_seq + item.count, heartbeat_at = item.now,
    ${outcomeRow.columns.map((name) => `${name} = item.${name}`).join(", ")}
  from item
  where runs.id = item.run_id and runs.fence = item.fence and runs.status = item.was_status
    and runs.hold_micro_usd = item.was_hold
  returning runs.id, runs.last_seq, item.count, item.now, item.events, item.wallet, item.received, item.postings
), appended as (${APPENDED}
), posted as (
  insert into ledger_postings (${postingRow.columns.join(", ")})
  select posting.* from moved cross join lateral json_to_recordset(moved.postings)
    as posting (${typed(postingRow.columnsOfTable)})
), owed as materialized (
  select wallet, sum(received)::bigint as received from moved where received > 0 group by wallet
), locked as materialized (
  select id from ledger_accounts where id in (select wallet from owed) order by id for update
), credited as (
  update ledger_accounts set balance_micro_usd = balance_micro_usd + owed.received from owed, locked
  where ledger_accounts.id = owed.wallet and locked.id = owed.wallet
)
select id from moved`;

/**
 * Does not wait for a run that another transaction has locked: its heartbeat is written at the next beat, and most often
 * that transaction writes one itself.
 */
const BEAT = `
with beat as (
  select * from unnest($1::text[], $2::bigint[]) as beat (id, fence)
), held as (
  select runs.id, runs.status from runs join beat on runs.id = beat.id and runs.fence = beat.fence
  where runs.status in ('running', 'cancelling')
), free as (
  select runs.id from runs join beat on runs.id = beat.id and runs.fence = beat.fence
  where runs.status in ('running', 'cancelling') for update of runs skip locked
), beaten as (
  update runs set heartbeat_at = $3::bigint from free where runs.id = free.id
)
select id, status from held`;

const [AMOUNT, PAYER] = (["micro_usd", "from_account"] as const).map(placeOf);

const HOLD = `
with spent as (
  update ledger_accounts set balance_micro_usd = balance_micro_usd - ${AMOUNT}
  where id = ${PAYER} and balance_micro_usd >= ${AMOUNT} returning id
)
insert into ledger_postings (${postingRow.columns.join(", ")})
select ${postingRow.columns.map(placeOf).join(", ")} from spent returning id`;

/** The value of a posting's column, of which `HOLD` gets all in their order. */
function placeOf(name: keyof PostingTable): string {
  const index = postingRow.columnsOfTable.findIndex((column) => column.name === name);
  return `$${index + 1}::${types[postingRow.columnsOfTable[index]?.kind ?? "text"]}`;
}

export const oneStatementWrites: FrequentWrites = {
  Runs: PostgresRuns,
  Events: PostgresEvents,
  Queue: PostgresQueue,
  Ledger: PostgresLedger,
  Journal: PostgresJournal,
};

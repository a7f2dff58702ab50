// The busiest writes, each in one statement: a PostgreSQL is a round trip away, and locks that are taken early are held
// for all of those that follow.

import { type Kysely, sql } from "kysely";
import { type RunStatus, runStatuses } from "../../contract/runs/run.ts";
import { isBillingAccount } from "../core/money/ledger.ts";
import type { StartedRun } from "../core/ports/store.ts";
import { oneOf, parseRunInput } from "./columns.ts";
import { type LedgerWrites, ledgerWrites, sumReceived, toPostingRow } from "./ledger.ts";
import { toRow, toRun } from "./run-rows.ts";
import { countRun, makeRoom, oldestQueued, type RunWrites, startQueued } from "./run-writes.ts";
import type { Database } from "./tables.ts";

export function oneStatementWrites(db: Kysely<Database>): RunWrites & LedgerWrites {
  const portable = ledgerWrites(db);
  const start = async (started: ReturnType<typeof startQueued>): Promise<StartedRun | null> => {
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
  };

  return {
    insertRun: async (run, input) => {
      await db
        .with("counted", () => countRun(db, run))
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
    },

    startRun: ({ runId, now }) => start(startQueued(db, now).where("id", "=", runId)),

    startOldestRun: ({ now }) =>
      start(startQueued(db, now).where("id", "=", oldestQueued(db, { skipLocked: true }))),

    appendEvents: async (batch) => {
      const { runId, now, jsons } = batch;
      const row = await db
        .with("moved", () => makeRoom(db, batch))
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
      if (row === undefined) return null;
      return { lastSeq: row.last_seq, status: oneOf(runStatuses, row.status, "runs.status") };
    },

    beat: async ({ runs, now }) => {
      // What another transaction is at is not waited for: it is told of at the next beat, and most often by itself.
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
        select id, status from held`.execute(db);
      return new Map<string, RunStatus>(
        rows.map(({ id, status }) => [id, oneOf(runStatuses, status, "runs.status")]),
      );
    },

    post: async (posting) => {
      if (!isBillingAccount(posting.from) || isBillingAccount(posting.to))
        return await portable.post(posting);
      const { id, at, kind, from, to, microUsd, runId } = posting;
      const { rows } = await sql`
        with spent as (
          update ledger_accounts set balance_micro_usd = balance_micro_usd - ${microUsd}::bigint
          where id = ${from} and balance_micro_usd >= ${microUsd}::bigint returning id
        )
        insert into ledger_postings (id, at, kind, from_account, to_account, micro_usd, run_id)
        select ${id}::text, ${at}::bigint, ${kind}::text, spent.id, ${to}::text, ${microUsd}::bigint, ${runId}::text
        from spent returning id`.execute(db);
      return rows.length === 1;
    },

    settle: async ({ billingAccount, postings }) => {
      if (postings.length === 0) return await portable.settle({ billingAccount, postings });
      const written = db.with("written", (inner) =>
        inner.insertInto("ledger_postings").values(postings.map(toPostingRow)),
      );
      const received = sumReceived(billingAccount, postings);
      // A billing account who receives nothing is not locked: others spend meanwhile.
      const row = await (received === 0
        ? written.selectFrom("ledger_accounts").where("id", "=", billingAccount).select("balance_micro_usd")
        : written
            .updateTable("ledger_accounts")
            .set((update) => ({ balance_micro_usd: update("balance_micro_usd", "+", received) }))
            .where("id", "=", billingAccount)
            .returning("balance_micro_usd")
      ).executeTakeFirst();
      return row?.balance_micro_usd ?? 0;
    },
  };
}

/** The event that opens a stream, as `run-writes.ts` spells it. */
const opening = sql<string>`'{"type":"RUN_STARTED","threadId":' || to_json(started.thread_id)::text
  || ',"runId":' || to_json(started.id)::text || '}'`;

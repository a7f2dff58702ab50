// What a run's submitter and its worker write, in statements that every database knows.

import { type Kysely, type RawBuilder, sql } from "kysely";
import { type RunStatus, runStatuses } from "../../contract/runs/run.ts";
import type { EventBatch, StartedRun, StoreTransaction } from "../core/ports/store.ts";
import type { RunRecord } from "../core/records.ts";
import { oneOf, parseRunInput } from "./columns.ts";
import { toColumns, toRow, toRun } from "./run-rows.ts";
import type { Database } from "./tables.ts";

/** Rows of one INSERT: SQLite binds at most 32,766 values. */
const MAX_EVENT_ROWS = 1000;

export type RunWrites = Pick<
  StoreTransaction,
  "insertRun" | "startRun" | "startOldestRun" | "appendEvents" | "beat"
>;

export function runWrites(db: Kysely<Database>): RunWrites {
  const start = async (runId: string | RawBuilder<string>, now: number): Promise<StartedRun | null> => {
    const row = await startQueued(db, now).where("id", "=", runId).executeTakeFirst();
    if (row === undefined) return null;
    const { id, thread_id, last_seq: seq } = row;
    const event = JSON.stringify({ type: "RUN_STARTED", threadId: thread_id, runId: id });
    await db.insertInto("run_events").values({ run_id: id, seq, at: now, event }).execute();
    const { input } = await db
      .selectFrom("run_inputs")
      .select("input")
      .where("run_id", "=", id)
      .executeTakeFirstOrThrow();
    return { run: toRun(row), input: parseRunInput(input) };
  };

  return {
    insertRun: async (run, input) => {
      const { run_count } = await countRun(db, run).executeTakeFirstOrThrow();
      await db
        .insertInto("runs")
        .values({ ...toRow(run), thread_seq: run_count, content: "kept" })
        .execute();
      await db
        .insertInto("run_inputs")
        .values({ run_id: run.id, input: JSON.stringify(input) })
        .execute();
    },

    startRun: ({ runId, now }) => start(runId, now),

    startOldestRun: ({ now }) => start(oldestQueued(db), now),

    appendEvents: async (batch) => {
      const { runId, now, jsons } = batch;
      const row = await makeRoom(db, batch).executeTakeFirst();
      if (row === undefined) return null;
      const first = row.last_seq - jsons.length + 1;
      const rows = jsons.map((event, index) => ({ run_id: runId, seq: first + index, at: now, event }));
      for (let begin = 0; begin < rows.length; begin += MAX_EVENT_ROWS) {
        await db
          .insertInto("run_events")
          .values(rows.slice(begin, begin + MAX_EVENT_ROWS))
          .execute();
      }
      return { lastSeq: row.last_seq, status: oneOf(runStatuses, row.status, "runs.status") };
    },

    beat: async ({ runs, now }) => {
      const states = new Map<string, RunStatus>();
      for (const { runId, fence } of runs) {
        const row = await db
          .updateTable("runs")
          .set({ heartbeat_at: now })
          .where("id", "=", runId)
          .where("fence", "=", fence)
          .where("status", "in", ["running", "cancelling"])
          .returning("status")
          .executeTakeFirst();
        if (row !== undefined) states.set(runId, oneOf(runStatuses, row.status, "runs.status"));
      }
      return states;
    },
  };
}

/** Gives a run its place in its session, which is made where there is none. */
export function countRun(db: Kysely<Database>, run: RunRecord) {
  // The session's row is held until the commit: no run of a session becomes seen before an earlier one.
  return db
    .insertInto("sessions")
    .values({ id: run.threadId, agent_id: run.agentId, created_at: run.submittedAt, run_count: 1 })
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({ run_count: sql<number>`sessions.run_count + 1` }),
    )
    .returning("run_count");
}

/** The run that is to be taken next. */
export function oldestQueued(
  db: Kysely<Database>,
  options: { skipLocked: boolean } = { skipLocked: false },
): RawBuilder<string> {
  const queued = db
    .selectFrom("runs")
    .select("id")
    .where(sql<boolean>`status in ('queued', 'running', 'cancelling')`)
    .where("status", "=", sql.lit("queued"))
    .orderBy("id")
    .limit(sql.lit(1));
  const oldest = options.skipLocked ? queued.forUpdate().skipLocked() : queued;
  // The parent of a child waits for it on a worker: the child goes first.
  const oldestChild = oldest.where("parent_run_id", "is not", null);
  return sql<string>`coalesce((${oldestChild}), (${oldest}))`;
}

/** Takes a queued run, which makes room for the event that opens its stream. */
export function startQueued(db: Kysely<Database>, now: number) {
  return db
    .updateTable("runs")
    .set((update) => ({
      status: "running",
      started_at: now,
      heartbeat_at: now,
      fence: update("fence", "+", 1),
      last_seq: update("last_seq", "+", 1),
    }))
    .where("status", "=", "queued")
    .returningAll();
}

/** Moves a run's last number on by as many events as there are, if the run is `fence`'s. */
export function makeRoom(db: Kysely<Database>, { runId, fence, now, jsons, change = {} }: EventBatch) {
  return db
    .updateTable("runs")
    .set((update) => ({
      ...toColumns(change),
      last_seq: update("last_seq", "+", jsons.length),
      heartbeat_at: now,
    }))
    .where("id", "=", runId)
    .where("fence", "=", fence)
    .where("status", "in", ["running", "cancelling"])
    .returning(["last_seq", "status"]);
}

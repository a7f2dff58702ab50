// Runs as work for a worker, in SQL.

import { type Kysely, type RawBuilder, sql } from "kysely";
import { type RunStatus, runStatuses } from "../../contract/runs/run.ts";
import type { Beat, QueueStore, RunAtWork, StartedRun } from "../core/ports/store/queue.ts";
import { oneOf, parseRunInput } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { isUnfinished, toRun } from "./run-rows.ts";
import type { Database } from "./tables.ts";

export class SqlQueue implements QueueStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async listUnfinished(): Promise<readonly { id: string; status: RunStatus }[]> {
    const rows = await this.#db
      .selectFrom("runs")
      .select(["id", "status"])
      .where(isUnfinished)
      .orderBy("id")
      .execute();
    return rows.map((row) => ({ id: row.id, status: oneOf(runStatuses, row.status, "runs.status") }));
  }

  async count(): Promise<number> {
    const { count } = await this.#db
      .selectFrom("runs")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where(isUnfinished)
      .where("status", "=", "queued")
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async listAtWork(): Promise<readonly RunAtWork[]> {
    return await this.#db
      .selectFrom("runs")
      .select(["id", "heartbeat_at as heartbeatAt", "fence"])
      .where(isUnfinished)
      .where("status", "in", ["running", "cancelling"])
      .orderBy("id")
      .execute();
  }

  start({ runId, now }: { runId: string; now: number }): Promise<StartedRun | null> {
    return this.#start(runId, now);
  }

  startOldest({ now }: { now: number }): Promise<StartedRun | null> {
    return this.#start(oldestQueued(this.#db), now);
  }

  async beat({ runs, now }: Beat): Promise<ReadonlyMap<string, RunStatus>> {
    const states = new Map<string, RunStatus>();
    for (const { runId, fence } of runs) {
      const row = await this.#db
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
  }

  /** Starts one run and opens its stream. */
  async #start(runId: string | RawBuilder<string>, now: number): Promise<StartedRun | null> {
    const row = await startQueued(this.#db, now).where("id", "=", runId).executeTakeFirst();
    if (row === undefined) return null;
    const { id, thread_id, last_seq: seq } = row;
    const event = JSON.stringify({ type: "RUN_STARTED", threadId: thread_id, runId: id });
    await this.#db.insertInto("run_events").values({ run_id: id, seq, at: now, event }).execute();
    const { input } = await this.#db
      .selectFrom("run_inputs")
      .select("input")
      .where("run_id", "=", id)
      .executeTakeFirstOrThrow();
    return { run: toRun(row), input: parseRunInput(input) };
  }
}

/** The id of the run that is taken next. */
export function oldestQueued(
  db: Kysely<Database>,
  options: { skipLocked: boolean } = { skipLocked: false },
): RawBuilder<string> {
  const queued = db
    .selectFrom("runs")
    .select("id")
    .where(isUnfinished)
    .where("status", "=", sql.lit("queued"))
    .orderBy("id")
    .limit(sql.lit(1));
  const oldest = options.skipLocked ? queued.forUpdate().skipLocked() : queued;
  // The parent of a child occupies a worker while it waits: the child goes first.
  const oldestChild = oldest.where("parent_run_id", "is not", null);
  return sql<string>`coalesce((${oldestChild}), (${oldest}))`;
}

/** Takes a queued run, and reserves the number of the event that opens its stream. */
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

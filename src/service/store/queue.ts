// Runs as work for a worker, in SQL.

import { type Kysely, sql } from "kysely";
import { type RunStatus, retriedReasons } from "../../contract/runs/run.ts";
import { accountWallet } from "../core/money/ledger.ts";
import { plans } from "../core/money/plan.ts";
import { type PlanWeights, WEIGHT_WITHOUT_PLAN } from "../core/money/rates.ts";
import type {
  Beat,
  OldestStart,
  QueueStore,
  ReleasedTake,
  RunAtWork,
  StartedRun,
  UnfinishedRun,
  WaitingAccount,
  WaitingQuery,
} from "../core/runs/queue-port.ts";
import type { Connection } from "./connection.ts";
import { insertEvent } from "./events.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { row, type TableOf } from "./row.ts";
import { text } from "./row-columns.ts";
import { isUnfinished, type RunsTable, runRow } from "./run-rows.ts";
import { inputOfRun, inputRow } from "./runs.ts";
import type { Database } from "./tables.ts";

/** Runs that were given back, and that no worker has. */
export const releasedRow = row<{ readonly runId: string }>("released_runs")({ runId: text });

declare module "./tables.ts" {
  interface Database {
    released_runs: TableOf<typeof releasedRow>;
  }
}

export class SqlQueue implements QueueStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;
  readonly #hasRowLocks: boolean;

  constructor({ db, ask, hasRowLocks }: Connection) {
    this.#db = db;
    this.#ask = ask;
    this.#hasRowLocks = hasRowLocks;
  }

  async listUnfinished(): Promise<readonly UnfinishedRun[]> {
    const rows = await this.#db
      .selectFrom("runs")
      .select(["id", "status", "payer as billingAccount"])
      .where(isUnfinished)
      .where("parked", "is", null)
      .orderBy("id")
      .execute();
    return rows.map(({ status, ...run }) => ({ ...run, status: runRow.readField("status", status) }));
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

  async findLongestWaiting(): Promise<number | null> {
    const row = await this.#db
      .selectFrom("runs")
      .select("submitted_at")
      .where(isUnfinished)
      .where("status", "=", "queued")
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
    return row?.submitted_at ?? null;
  }

  async listWaiting({ limit, weights }: WaitingQuery): Promise<readonly WaitingAccount[]> {
    const isQueued = sql`status = 'queued'`;
    const waiting = this.#db
      .selectFrom("runs")
      .select((select) => [
        "payer as billingAccount",
        sql<number>`count(*) filter (where ${isQueued})`.as("queued"),
        sql<number>`count(*) filter (where not ${isQueued})`.as("at_work"),
        weightOf(weights).as("weight"),
        select.fn.min("id").filterWhere("status", "=", "queued").as("oldest"),
        sql<number>`min(submitted_at) filter (where ${isQueued})`.as("since"),
      ])
      .where(isUnfinished)
      .where("parked", "is", null)
      .groupBy("payer")
      .having(sql<number>`count(*) filter (where ${isQueued})`, ">", 0);
    const rows = await this.#db
      .selectFrom(waiting.as("waiting"))
      .selectAll()
      .orderBy(sql`at_work * 1.0 / weight`)
      .orderBy("oldest")
      .limit(limit)
      .execute();
    return rows.map(({ billingAccount, queued, at_work, weight, since }) => ({
      billingAccount,
      queued: Number(queued),
      atWork: Number(at_work),
      weight: Number(weight),
      since: Number(since),
    }));
  }

  async listAtWork(): Promise<readonly RunAtWork[]> {
    return await this.#db
      .selectFrom("runs")
      .select(["id", "heartbeat_at as heartbeatAt", "fence"])
      .where(isUnfinished)
      .where("status", "in", ["running", "cancelling"])
      .where("parked", "is", null)
      .where("id", "not in", (released) => released.selectFrom("released_runs").select("run_id"))
      .orderBy("id")
      .execute();
  }

  async listOverdue({ now }: { now: number }): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom("runs")
      .select(["id", "parked"])
      .select(({ exists, selectFrom }) =>
        exists(
          selectFrom("run_journal")
            .select("run_journal.run_id")
            .whereRef("run_journal.run_id", "=", "runs.id"),
        ).as("has_journal"),
      )
      .where(isUnfinished)
      .where("parked", "is not", null)
      .orderBy("id")
      .execute();
    return rows
      .filter(({ parked, has_journal }) => {
        const until = runRow.readField("parked", parked)?.until ?? 0;
        return until < now || !has_journal;
      })
      .map(({ id }) => id);
  }

  async listRetriable({ now, limit }: { now: number; limit: number }): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom("runs")
      .select(["id", "parked"])
      .where(isUnfinished)
      .where("parked", "is not", null)
      .where("stop_reason", "in", retriedReasons)
      .execute();
    return rows
      .map(({ id, parked }) => ({
        id,
        at: runRow.readField("parked", parked)?.nextTryAt ?? Number.POSITIVE_INFINITY,
      }))
      .filter(({ at }) => at <= now)
      .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
      .slice(0, limit)
      .map(({ id }) => id);
  }

  async listReleased(): Promise<readonly string[]> {
    const rows = await this.#db.selectFrom("released_runs").select("run_id").orderBy("run_id").execute();
    return rows.map(({ run_id }) => run_id);
  }

  async listNewer(version: number): Promise<readonly Pick<RunAtWork, "id" | "fence">[]> {
    return await this.#newer(version)
      .select(["runs.id", "runs.fence"])
      .distinct()
      .orderBy("runs.id")
      .execute();
  }

  /** Runs at work whose journal has an entry of a newer version. */
  #newer(version: number) {
    return this.#db
      .selectFrom("released_runs")
      .innerJoin("runs", "runs.id", "released_runs.run_id")
      .innerJoin("run_journal", "run_journal.run_id", "released_runs.run_id")
      .where("runs.status", "=", "running")
      .where("run_journal.version", ">", version);
  }

  async takeReleased({ runId, now, version }: ReleasedTake): Promise<StartedRun | null> {
    let oldest = this.#db
      .selectFrom("released_runs")
      .select("run_id")
      .where("run_id", "not in", this.#newer(version).select("runs.id"))
      .orderBy("run_id")
      .limit(1);
    if (runId !== null) oldest = oldest.where("run_id", "=", runId);
    const released = await (this.#hasRowLocks ? oldest.forUpdate().skipLocked() : oldest).executeTakeFirst();
    if (released === undefined) return null;
    await this.forgetReleased(released.run_id);
    const taken = await this.#db
      .updateTable("runs")
      .set((update) => ({ heartbeat_at: now, fence: update("fence", "+", 1) }))
      .where("id", "=", released.run_id)
      .where("status", "in", ["running", "cancelling"])
      .returningAll()
      .executeTakeFirst();
    return taken === undefined ? null : await this.#withInput(taken);
  }

  async release(runId: string): Promise<void> {
    await this.#db
      .updateTable("runs")
      .set((update) => ({ fence: update("fence", "+", 1) }))
      .where("id", "=", runId)
      .execute();
    await this.#db
      .insertInto("released_runs")
      .values(releasedRow.write({ runId }))
      .onConflict((conflict) => conflict.column("run_id").doNothing())
      .execute();
  }

  async forgetReleased(runId: string): Promise<void> {
    await this.#db.deleteFrom("released_runs").where("run_id", "=", runId).execute();
  }

  async start(start: { runId: string; now: number }): Promise<StartedRun | null> {
    const [row] = await this.#ask(startRun, start);
    return row === undefined ? null : await this.#opened(row);
  }

  async startOldest({ now, weights }: OldestStart): Promise<StartedRun | null> {
    const [row] = await this.#ask(startOldestRun, { now, ...weights });
    return row === undefined ? null : await this.#opened(row);
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
      if (row !== undefined) states.set(runId, runRow.readField("status", row.status));
    }
    return states;
  }

  /** Opens the stream of a run that was just started. */
  async #opened(row: RunsTable): Promise<StartedRun> {
    const { id, thread_id, last_seq: seq, heartbeat_at: at } = row;
    const event = JSON.stringify({ type: "RUN_STARTED", threadId: thread_id, runId: id });
    await this.#ask(insertEvent, { run_id: id, seq, at: at ?? 0, event });
    return await this.#withInput(row);
  }

  async #withInput(row: RunsTable): Promise<StartedRun> {
    const [stored] = await this.#ask(inputOfRun, { runId: row.id });
    if (stored === undefined) throw new Error(`Run ${row.id} has no input.`);
    return { run: runRow.read(row), input: inputRow.readField("input", stored.input) };
  }
}

const startRun = keepQuery<{ runId: string; now: number }>(
  "runId",
  "now",
)((db, { runId, now }) => startQueued(db, now).where("id", "=", runId));

/** Where the id of the account begins that pays. */
export const ACCOUNT_ID_AT = accountWallet("").length + 1;

/** The weight of the plan that the account of `runs.payer` has. */
function weightOf(weights: PlanWeights) {
  const byPlan = sql.join(
    plans.map((plan) => sql`when ${sql.lit(plan)} then cast(${weights[plan]} as integer)`),
    sql` `,
  );
  return sql<number>`coalesce((select case accounts.plan ${byPlan} end from accounts
    where runs.payer like ${sql.lit(accountWallet("%"))} and accounts.id = substr(runs.payer, ${sql.lit(ACCOUNT_ID_AT)})),
    ${sql.lit(WEIGHT_WITHOUT_PLAN)})`;
}

const startOldestRun = keepQuery<{ now: number } & PlanWeights>(
  "now",
  ...plans,
)((db, { now, ...weights }) => {
  const queued = db
    .selectFrom("runs")
    .select("id")
    .where(isUnfinished)
    .where("parked", "is", null)
    .where("status", "=", sql.lit("queued"))
    .limit(sql.lit(1));
  // The parent of a child occupies a worker while it waits: the child goes first.
  const oldestChild = queued.where("parent_run_id", "is not", null).orderBy("id");
  const atWork = sql<number>`(select count(*) from runs as busy where busy.payer = runs.payer
    and busy.status in ('running', 'cancelling') and busy.parked is null)`;
  const weight = weightOf(weights);
  const lastStart = sql<number>`(select coalesce(max(earlier.started_at), 0) from runs as earlier
    where earlier.payer = runs.payer and earlier.started_at is not null)`;
  const waitMs = sql<number>`max(0, ${now} - max(${lastStart}, runs.submitted_at))`;
  const next = queued
    .orderBy(sql`${atWork} * 1.0 / ${weight}`)
    .orderBy(sql`${waitMs} * ${weight}`, "desc")
    .orderBy(weight, "desc")
    .orderBy("id");
  return startQueued(db, now).where("id", "=", sql<string>`coalesce((${oldestChild}), (${next}))`);
});

/** Takes a queued run, and reserves the number of the event that opens its stream. */
function startQueued(db: Kysely<Database>, now: number) {
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

// Runs, their events and their idempotency keys in SQL.

import { type Kysely, type Selectable, sql } from "kysely";
import { runCauses, runOrigins, runStatuses } from "../../contract/run.ts";
import type { RunChange, StoreTransaction } from "../core/ports/store.ts";
import type { RunInput, RunRecord } from "../core/records.ts";
import { oneOf, parseRunInput } from "./columns.ts";
import type { Database, RunsTable } from "./tables.ts";

/** Rows of one INSERT: SQLite binds at most 32,766 values, PostgreSQL 65,535. */
const MAX_EVENT_ROWS = 1000;

type Runs = Pick<
  StoreTransaction,
  | "findRun"
  | "listEvents"
  | "listRuns"
  | "listRunsOfSession"
  | "countUnfinishedRuns"
  | "listUnfinishedRuns"
  | "countQueuedRuns"
  | "listRunsAtWork"
  | "listUnfinishedRunsOf"
  | "insertRun"
  | "startRun"
  | "startOldestRun"
  | "lockRun"
  | "updateRun"
  | "appendEvents"
  | "heartbeat"
>;

export function runQueries(db: Kysely<Database>, options: { rowLocks: boolean }): Runs {
  return {
    findRun: async (id) => {
      const row = await db.selectFrom("runs").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toRun(row);
    },

    listEvents: async ({ runId, after, limit }) => {
      return await db
        .selectFrom("run_events")
        .select(["seq", "at", "event as json"])
        .where("run_id", "=", runId)
        .where("seq", ">", after)
        .orderBy("seq")
        .limit(limit)
        .execute();
    },

    listRuns: async ({ agentId, before, limit }) => {
      const query = db
        .selectFrom("runs")
        .selectAll()
        .where("agent_id", "=", agentId)
        .orderBy("id", "desc")
        .limit(limit);
      const rows = await (before === null ? query : query.where("id", "<", before)).execute();
      return rows.map(toRun);
    },

    listRunsOfSession: async ({ sessionId, after, limit }) => {
      const query = db
        .selectFrom("runs")
        .selectAll()
        .where("thread_id", "=", sessionId)
        .orderBy("thread_seq")
        .limit(limit);
      const rows = await (after === null
        ? query
        : query.where("thread_seq", ">", (inner) =>
            inner.selectFrom("runs as earlier").select("earlier.thread_seq").where("earlier.id", "=", after),
          )
      ).execute();
      return rows.map(toRun);
    },

    countUnfinishedRuns: async (accountId) => {
      const { count } = await db
        .selectFrom("runs")
        .innerJoin("agents", "agents.id", "runs.agent_id")
        .select((select) => select.fn.countAll<number>().as("count"))
        .where("agents.account_id", "=", accountId)
        .where(sql<boolean>`runs.status in ('queued', 'running', 'cancelling')`)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    listUnfinishedRuns: async () => {
      const rows = await db
        .selectFrom("runs")
        .select(["id", "status"])
        .where(sql<boolean>`status in ('queued', 'running', 'cancelling')`)
        .orderBy("id")
        .execute();
      return rows.map((row) => ({ id: row.id, status: oneOf(runStatuses, row.status, "runs.status") }));
    },

    listUnfinishedRunsOf: async (agentId) => {
      const rows = await db
        .selectFrom("runs")
        .select("id")
        .where("agent_id", "=", agentId)
        .where(sql<boolean>`status in ('queued', 'running', 'cancelling')`)
        .orderBy("id")
        .execute();
      return rows.map(({ id }) => id);
    },

    countQueuedRuns: async () => {
      const { count } = await db
        .selectFrom("runs")
        .select((select) => select.fn.countAll<number>().as("count"))
        .where(sql<boolean>`status in ('queued', 'running', 'cancelling')`)
        .where("status", "=", "queued")
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    listRunsAtWork: async () => {
      return await db
        .selectFrom("runs")
        .select(["id", "heartbeat_at as heartbeatAt", "fence"])
        .where(sql<boolean>`status in ('queued', 'running', 'cancelling')`)
        .where("status", "in", ["running", "cancelling"])
        .orderBy("id")
        .execute();
    },

    insertRun: async (run, input) => {
      // The session's row is held until the commit: no run of a session becomes seen before an earlier one.
      const session = await db
        .updateTable("sessions")
        .set((update) => ({ run_count: update("run_count", "+", 1) }))
        .where("id", "=", run.threadId)
        .returning("run_count")
        .executeTakeFirst();
      await db
        .insertInto("runs")
        .values({ ...toRow(run), thread_seq: session?.run_count ?? 0 })
        .execute();
      await db
        .insertInto("run_inputs")
        .values({ run_id: run.id, input: JSON.stringify(input) })
        .execute();
    },

    startRun: async ({ runId, now }) => {
      const row = await startQueued(db, now).where("id", "=", runId).executeTakeFirst();
      return row === undefined ? null : { run: toRun(row), input: await readInput(db, row.id) };
    },

    startOldestRun: async ({ now }) => {
      const oldest = db
        .selectFrom("runs")
        .select("id")
        .where(sql<boolean>`status in ('queued', 'running', 'cancelling')`)
        .where("status", "=", "queued")
        .orderBy("id")
        .limit(1);
      const free = options.rowLocks ? oldest.forUpdate().skipLocked() : oldest;
      const row = await startQueued(db, now).where("id", "=", free).executeTakeFirst();
      return row === undefined ? null : { run: toRun(row), input: await readInput(db, row.id) };
    },

    lockRun: async (id) => {
      const query = db.selectFrom("runs").selectAll().where("id", "=", id);
      const row = await (options.rowLocks ? query.forUpdate() : query).executeTakeFirst();
      return row === undefined ? null : toRun(row);
    },

    updateRun: async (id, change) => {
      await db.updateTable("runs").set(toColumns(change)).where("id", "=", id).execute();
    },

    appendEvents: async ({ runId, fence, now, jsons }) => {
      const row = await db
        .updateTable("runs")
        .set((update) => ({ last_seq: update("last_seq", "+", jsons.length), heartbeat_at: now }))
        .where("id", "=", runId)
        .where("fence", "=", fence)
        .where("status", "in", ["running", "cancelling"])
        .returning(["last_seq", "status"])
        .executeTakeFirst();
      if (row === undefined) return null;
      const first = row.last_seq - jsons.length + 1;
      const rows = jsons.map((event, index) => ({ run_id: runId, seq: first + index, at: now, event }));
      for (let start = 0; start < rows.length; start += MAX_EVENT_ROWS) {
        await db
          .insertInto("run_events")
          .values(rows.slice(start, start + MAX_EVENT_ROWS))
          .execute();
      }
      return { lastSeq: row.last_seq, status: oneOf(runStatuses, row.status, "runs.status") };
    },

    heartbeat: async ({ runId, fence, now }) => {
      const row = await db
        .updateTable("runs")
        .set({ heartbeat_at: now })
        .where("id", "=", runId)
        .where("fence", "=", fence)
        .where("status", "in", ["running", "cancelling"])
        .returning("status")
        .executeTakeFirst();
      return row === undefined ? null : oneOf(runStatuses, row.status, "runs.status");
    },
  };
}

function startQueued(db: Kysely<Database>, now: number) {
  return db
    .updateTable("runs")
    .set((update) => ({
      status: "running",
      started_at: now,
      heartbeat_at: now,
      fence: update("fence", "+", 1),
    }))
    .where("status", "=", "queued")
    .returningAll();
}

async function readInput(db: Kysely<Database>, runId: string): Promise<RunInput> {
  const { input } = await db
    .selectFrom("run_inputs")
    .select("input")
    .where("run_id", "=", runId)
    .executeTakeFirstOrThrow();
  return parseRunInput(input);
}

function toRun(row: Selectable<RunsTable>): RunRecord {
  return {
    id: row.id,
    agentId: row.agent_id,
    threadId: row.thread_id,
    status: oneOf(runStatuses, row.status, "runs.status"),
    origin: oneOf(runOrigins, row.origin, "runs.origin"),
    parentRunId: row.parent_run_id,
    payer: row.payer,
    holdMicroUsd: row.hold_micro_usd,
    submittedAt: row.submitted_at,
    startedAt: row.started_at,
    heartbeatAt: row.heartbeat_at,
    endedAt: row.ended_at,
    cause: row.cause === null ? null : oneOf(runCauses, row.cause, "runs.cause"),
    retryable: row.retryable === 1,
    stopReason: row.stop_reason,
    tokens: row.tokens,
    modelCalls: row.model_calls,
    grossMicroUsd: row.gross_micro_usd,
    refundedMicroUsd: row.refunded_micro_usd,
    refundReason: row.refund_reason,
    lastSeq: row.last_seq,
    fence: row.fence,
  };
}

function toRow(run: RunRecord): Omit<RunsTable, "thread_seq"> {
  return {
    id: run.id,
    agent_id: run.agentId,
    thread_id: run.threadId,
    origin: run.origin,
    parent_run_id: run.parentRunId,
    payer: run.payer,
    hold_micro_usd: run.holdMicroUsd,
    submitted_at: run.submittedAt,
    heartbeat_at: run.heartbeatAt,
    last_seq: run.lastSeq,
    ...toMutableColumns(run),
  };
}

type MutableColumns = {
  [Column in
    | "status"
    | "started_at"
    | "ended_at"
    | "cause"
    | "retryable"
    | "stop_reason"
    | "tokens"
    | "model_calls"
    | "gross_micro_usd"
    | "refunded_micro_usd"
    | "refund_reason"
    | "fence"]: RunsTable[Column];
};

function toMutableColumns(run: Required<RunChange>): MutableColumns {
  return {
    status: run.status,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    cause: run.cause,
    retryable: run.retryable ? 1 : 0,
    stop_reason: run.stopReason,
    tokens: run.tokens,
    model_calls: run.modelCalls,
    gross_micro_usd: run.grossMicroUsd,
    refunded_micro_usd: run.refundedMicroUsd,
    refund_reason: run.refundReason,
    fence: run.fence,
  };
}

function toColumns(change: RunChange): Partial<MutableColumns> {
  return {
    ...(change.status === undefined ? {} : { status: change.status }),
    ...(change.startedAt === undefined ? {} : { started_at: change.startedAt }),
    ...(change.endedAt === undefined ? {} : { ended_at: change.endedAt }),
    ...(change.cause === undefined ? {} : { cause: change.cause }),
    ...(change.retryable === undefined ? {} : { retryable: change.retryable ? 1 : 0 }),
    ...(change.stopReason === undefined ? {} : { stop_reason: change.stopReason }),
    ...(change.tokens === undefined ? {} : { tokens: change.tokens }),
    ...(change.modelCalls === undefined ? {} : { model_calls: change.modelCalls }),
    ...(change.grossMicroUsd === undefined ? {} : { gross_micro_usd: change.grossMicroUsd }),
    ...(change.refundedMicroUsd === undefined ? {} : { refunded_micro_usd: change.refundedMicroUsd }),
    ...(change.refundReason === undefined ? {} : { refund_reason: change.refundReason }),
    ...(change.fence === undefined ? {} : { fence: change.fence }),
  };
}

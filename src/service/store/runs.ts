// Runs in SQL: what is read of them, and changes by whoever holds their lock.

import { type Kysely, sql } from "kysely";
import { runStatuses } from "../../contract/runs/run.ts";
import type { StoreTransaction } from "../core/ports/store.ts";
import { oneOf, parseRunInput } from "./columns.ts";
import { toColumns, toRun } from "./run-rows.ts";
import type { Database } from "./tables.ts";

type Runs = Pick<
  StoreTransaction,
  | "findRun"
  | "listEvents"
  | "listRuns"
  | "listRunsOfSession"
  | "listRunsOfSessionBefore"
  | "countUnfinishedRuns"
  | "listUnfinishedRuns"
  | "countQueuedRuns"
  | "listRunsAtWork"
  | "listUnfinishedRunsOf"
  | "listUnfinishedChildren"
  | "findRunInput"
  | "lockRun"
  | "updateRun"
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

    listRuns: async ({ agentId, threadId, before, limit }) => {
      let query = db
        .selectFrom("runs")
        .selectAll()
        .where("agent_id", "=", agentId)
        .orderBy("id", "desc")
        .limit(limit);
      if (threadId !== null) query = query.where("thread_id", "=", threadId);
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

    listRunsOfSessionBefore: async ({ sessionId, before, limit }) => {
      const rows = await db
        .selectFrom("runs")
        .selectAll()
        .where("thread_id", "=", sessionId)
        .where("thread_seq", "<", (inner) =>
          inner.selectFrom("runs as later").select("later.thread_seq").where("later.id", "=", before),
        )
        .orderBy("thread_seq", "desc")
        .limit(limit)
        .execute();
      return rows.map(toRun);
    },

    countUnfinishedRuns: async (accountId) => {
      const { count } = await db
        .selectFrom("runs")
        .innerJoin("agents", "agents.id", "runs.agent_id")
        .select((select) => select.fn.countAll<number>().as("count"))
        .where("agents.account_id", "=", accountId)
        .where("runs.parent_run_id", "is", null)
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

    listUnfinishedChildren: async (runId) => {
      const rows = await db
        .selectFrom("runs")
        .select("id")
        .where("parent_run_id", "=", runId)
        .where(sql<boolean>`status in ('queued', 'running', 'cancelling')`)
        .orderBy("id")
        .execute();
      return rows.map(({ id }) => id);
    },

    findRunInput: async (runId) => {
      const row = await db
        .selectFrom("run_inputs")
        .select("input")
        .where("run_id", "=", runId)
        .executeTakeFirst();
      return row === undefined ? null : parseRunInput(row.input);
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

    lockRun: async (id) => {
      const query = db.selectFrom("runs").selectAll().where("id", "=", id);
      const row = await (options.rowLocks ? query.forUpdate() : query).executeTakeFirst();
      return row === undefined ? null : toRun(row);
    },

    updateRun: async (id, change) => {
      await db.updateTable("runs").set(toColumns(change)).where("id", "=", id).execute();
    },
  };
}

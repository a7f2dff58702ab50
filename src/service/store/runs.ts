// Runs in SQL: reads, and changes by whoever holds their lock.

import { type Kysely, sql } from "kysely";
import { uuidV7 } from "../../base/ids.ts";
import type { RunInput, RunRecord } from "../core/runs/run-record.ts";
import type {
  Admission,
  Admitted,
  AgentsRunQuery,
  AllRunsQuery,
  EarlierRunQuery,
  QuestionQuery,
  RunCounts,
  RunOfAgent,
  RunQuery,
  RunState,
  RunStore,
  RunUpdate,
  SessionRunQuery,
} from "../core/runs/store-port.ts";
import { parseRunInput } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { SqlIdempotency } from "./idempotency.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { SqlLedger } from "./ledger.ts";
import { row, type TableOf } from "./row.ts";
import { json, text } from "./row-columns.ts";
import { isNotCompleted, isNotOfUser, isUnfinished, type RunsTable, runRow } from "./run-rows.ts";
import { sessionRow } from "./sessions.ts";
import type { Database } from "./tables.ts";

/** A table of its own: polls read runs often and inputs never. */
export const inputRow = row<{ readonly runId: string; readonly input: RunInput }>("run_inputs")({
  runId: text,
  input: json(parseRunInput),
});

declare module "./tables.ts" {
  interface Database {
    run_inputs: TableOf<typeof inputRow>;
  }
}

export class SqlRuns implements RunStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#db = connection.db;
    this.#ask = connection.ask;
    this.#connection = connection;
  }

  async find(id: string): Promise<RunRecord | null> {
    const [row] = await this.#ask(runOfId, { id });
    return row === undefined ? null : runRow.read(row);
  }

  async list({ agentId, sessionId, before, limit }: RunQuery): Promise<readonly RunRecord[]> {
    let query = this.#db
      .selectFrom("runs")
      .selectAll()
      .where("agent_id", "=", agentId)
      .orderBy("id", "desc")
      .limit(limit);
    if (sessionId !== null) query = query.where("thread_id", "=", sessionId);
    const rows = await (before === null ? query : query.where("id", "<", before)).execute();
    return rows.map(runRow.read);
  }

  async listOfAgents(query: AgentsRunQuery): Promise<readonly RunRecord[]> {
    const { agentIds, limit } = query;
    // By the index `runs_agent`, agent by agent: one condition on all of them would read and sort every run that they have.
    const [first, ...others] = agentIds.map((agentId) =>
      this.#db.selectFrom(this.#ofAgent(agentId, query).as("one")).selectAll("one"),
    );
    if (first === undefined) return [];
    const all = others.reduce((union, one) => union.unionAll(one), first);
    const rows = await this.#db
      .selectFrom(all.as("found"))
      .selectAll("found")
      .orderBy("found.id", "desc")
      .limit(limit)
      .execute();
    return rows.map(runRow.read);
  }

  #ofAgent(agentId: string, { state, origin, startedBy, before, limit }: AgentsRunQuery) {
    let rows = this.#db.selectFrom("runs").selectAll("runs").where("agent_id", "=", agentId);
    if (before !== null) rows = rows.where("id", "<", before);
    if (origin !== null) rows = rows.where("origin", "=", origin);
    if (origin !== null && origin !== "user") rows = rows.where(isNotOfUser);
    if (startedBy !== null) rows = rows.where("started_by", "=", startedBy);
    if (state !== null) rows = rows.where(isInState(state));
    if (state !== null && state !== "completed") rows = rows.where(isNotCompleted);
    return rows.orderBy("id", "desc").limit(limit);
  }

  async listAll(query: AllRunsQuery): Promise<readonly RunOfAgent[]> {
    const { accountId, agentId, status, before, limit } = query;
    const { state = null, origin = null, repositoryName = null, ids = null } = query;
    let rows = this.#db
      .selectFrom("runs")
      .innerJoin("agents", "agents.id", "runs.agent_id")
      .selectAll("runs")
      .select(["agents.name as agent_name", "agents.account_id"])
      .orderBy("runs.id", "desc")
      .limit(limit);
    if (accountId !== null) rows = rows.where("agents.account_id", "=", accountId);
    if (agentId !== null) rows = rows.where("runs.agent_id", "=", agentId);
    if (status !== null) rows = rows.where("runs.status", "=", status);
    if (state !== null) rows = rows.where(isInState(state));
    if (origin !== null) rows = rows.where("runs.origin", "=", origin);
    if (repositoryName !== null) rows = rows.where("agents.repository_name", "=", repositoryName);
    if (ids !== null) rows = rows.where("runs.id", "in", ids.length === 0 ? [""] : ids);
    if (before !== null) rows = rows.where("runs.id", "<", before);
    return (await rows.execute()).map((row) => ({
      run: runRow.read(row),
      agentName: row.agent_name,
      accountId: row.account_id,
    }));
  }

  async countAll({ since }: { since: number }): Promise<RunCounts> {
    const unfinished = { queued: 0, running: 0, waiting: 0 };
    const open = await this.#db
      .selectFrom("runs")
      .select((select) => [
        "status",
        sql<number>`case when parked is null then 0 else 1 end`.as("is_parked"),
        select.fn.countAll<number>().as("count"),
      ])
      .where(isUnfinished)
      .groupBy(["status", "is_parked"])
      .execute();
    for (const { status, is_parked, count } of open) {
      const state = Number(is_parked) === 1 ? "waiting" : status === "queued" ? "queued" : "running";
      unfinished[state] += Number(count);
    }
    const ended = await this.#db
      .selectFrom("runs")
      .select((select) => ["status", "cause", select.fn.countAll<number>().as("count")])
      // As the index `runs_content` has it.
      .where(sql<boolean>`content <> 'deleted' and ended_at is not null`)
      .where("ended_at", ">=", since)
      .groupBy(["status", "cause"])
      .orderBy("status")
      .orderBy("cause")
      .execute();
    return {
      unfinished,
      ended: ended.map(({ status, cause, count }) => ({
        status: runRow.readField("status", status),
        cause: runRow.readField("cause", cause),
        count: Number(count),
      })),
    };
  }

  async countSubmitted(query: {
    readonly accountIds: readonly string[];
    readonly since: number;
  }): Promise<ReadonlyMap<string, number>> {
    const { accountIds, since } = query;
    if (accountIds.length === 0) return new Map();
    const rows = await this.#db
      .selectFrom("runs")
      .innerJoin("agents", "agents.id", "runs.agent_id")
      .select((select) => ["agents.account_id", select.fn.countAll<number>().as("count")])
      .where("agents.account_id", "in", accountIds)
      // Ids are in the order of their times: no other index has all accounts' runs by time.
      .where("runs.id", ">=", uuidV7(since, new Uint8Array(10)))
      .where("runs.submitted_at", ">=", since)
      .groupBy("agents.account_id")
      .execute();
    return new Map(rows.map(({ account_id: id, count }) => [id ?? "", Number(count)]));
  }

  async listOfSession({ sessionId, after, limit }: SessionRunQuery): Promise<readonly RunRecord[]> {
    const query = this.#db
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
    return rows.map(runRow.read);
  }

  async listOfSessionBefore({ sessionId, before, limit }: EarlierRunQuery): Promise<readonly RunRecord[]> {
    const rows = await this.#db
      .selectFrom("runs")
      .selectAll()
      .where("thread_id", "=", sessionId)
      .where("thread_seq", "<", (inner) =>
        inner.selectFrom("runs as later").select("later.thread_seq").where("later.id", "=", before),
      )
      .orderBy("thread_seq", "desc")
      .limit(limit)
      .execute();
    return rows.map(runRow.read);
  }

  async listQuestions(query: QuestionQuery): Promise<readonly RunRecord[]> {
    const { accountId, agentId, before, limit } = query;
    let rows = this.#db
      .selectFrom("runs")
      .innerJoin("agents", "agents.id", "runs.agent_id")
      .selectAll("runs")
      .where("agents.account_id", "=", accountId)
      .where("agents.deleted_at", "is", null)
      // As the index `runs_question` has it.
      .where(sql<boolean>`runs.stop_reason = 'question'`)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("runs as later")
              .select("later.id")
              .whereRef("later.thread_id", "=", "runs.thread_id")
              .whereRef("later.thread_seq", ">", "runs.thread_seq"),
          ),
        ),
      );
    if (agentId !== null) rows = rows.where("runs.agent_id", "=", agentId);
    if (before !== null) rows = rows.where("runs.id", "<", before);
    return (await rows.orderBy("runs.id", "desc").limit(limit).execute()).map(runRow.read);
  }

  async countUnfinished(accountId: string): Promise<number> {
    const { count } = await this.#db
      .selectFrom("runs")
      .innerJoin("agents", "agents.id", "runs.agent_id")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("agents.account_id", "=", accountId)
      .where("runs.parent_run_id", "is", null)
      .where("runs.parked", "is", null)
      .where(isUnfinished)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async findParked(sessionId: string): Promise<RunRecord | null> {
    const row = await this.#db
      .selectFrom("runs")
      .selectAll()
      .where("thread_id", "=", sessionId)
      .where(isUnfinished)
      .where("parked", "is not", null)
      .executeTakeFirst();
    return row === undefined ? null : runRow.read(row);
  }

  async listUnfinishedOfAgent(agentId: string): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom("runs")
      .select("id")
      .where("agent_id", "=", agentId)
      .where(isUnfinished)
      .orderBy("id")
      .execute();
    return rows.map(({ id }) => id);
  }

  async listUnfinishedChildren(runId: string): Promise<readonly string[]> {
    const rows = await this.#ask(unfinishedChildren, { runId });
    return rows.map(({ id }) => id);
  }

  async listChildren({ runId, limit }: { runId: string; limit: number }): Promise<readonly RunRecord[]> {
    const rows = await this.#db
      .selectFrom("runs")
      .selectAll()
      .where("parent_run_id", "=", runId)
      .orderBy("id")
      .limit(limit)
      .execute();
    return rows.map(runRow.read);
  }

  async findInput(runId: string): Promise<RunInput | null> {
    const [row] = await this.#ask(inputOfRun, { runId });
    return row === undefined ? null : inputRow.readField("input", row.input);
  }

  async lock(id: string): Promise<RunRecord | null> {
    const [row] = await this.#ask(this.#connection.hasRowLocks ? lockedRun : runOfId, { id });
    return row === undefined ? null : runRow.read(row);
  }

  async update(id: string, { parked, ...change }: RunUpdate): Promise<void> {
    const columns = parked == null ? {} : runRow.change({ parked });
    const cleared = parked === null ? { parked: null } : {};
    await this.#db
      .updateTable("runs")
      .set({ ...runRow.change(change), ...columns, ...cleared })
      .where("id", "=", id)
      .execute();
  }

  async updateInput(runId: string, input: RunInput): Promise<void> {
    const change = inputRow.change({ input });
    await this.#db.updateTable("run_inputs").set(change).where("run_id", "=", runId).execute();
  }

  async insert(run: RunRecord, input: RunInput): Promise<void> {
    const [counted] = await this.#ask(countRun, run);
    if (counted === undefined) throw new Error(`Session ${run.sessionId} did not count run ${run.id}.`);
    await this.#ask(insertRun, runRow.write(run, { threadSeq: counted.run_count }));
    await this.#ask(insertInput, inputRow.write({ runId: run.id, input }));
  }

  async admit({ run, input, hold, key }: Admission): Promise<Admitted> {
    if (hold.microUsd > 0 && !(await new SqlLedger(this.#connection).hold(hold))) return "unpaid";
    if (key !== null && !(await new SqlIdempotency(this.#connection).insert(key))) return "key_taken";
    await this.insert(run, input);
    return "admitted";
  }
}

/** A parked run is waiting, and not running. */
function isInState(state: RunState) {
  switch (state) {
    case "waiting":
      return sql<boolean>`runs.parked is not null and ${isUnfinished}`;
    case "running":
      return sql<boolean>`runs.status in ('running', 'cancelling') and runs.parked is null`;
    default:
      return sql<boolean>`runs.status = ${state}`;
  }
}

const runOfId = keepQuery<{ id: string }>("id")((db, { id }) =>
  db.selectFrom("runs").selectAll().where("id", "=", id),
);

const lockedRun = keepQuery<{ id: string }>("id")((db, { id }) =>
  db.selectFrom("runs").selectAll().where("id", "=", id).forUpdate(),
);

const unfinishedChildren = keepQuery<{ runId: string }>("runId")((db, { runId }) =>
  db.selectFrom("runs").select("id").where("parent_run_id", "=", runId).where(isUnfinished).orderBy("id"),
);

export const inputOfRun = keepQuery<{ runId: string }>("runId")((db, { runId }) =>
  db.selectFrom("run_inputs").select("input").where("run_id", "=", runId),
);

/** Gives a run its place in its session, which is made where there is none. */
const countRun = keepQuery<{ sessionId: string; agentId: string; submittedAt: number }>(
  "sessionId",
  "agentId",
  "submittedAt",
)((db, { sessionId, agentId, submittedAt }) =>
  // The session's row is locked until the commit: no run of a session becomes visible before an earlier one.
  db
    .insertInto("sessions")
    .values(sessionRow.write({ id: sessionId, agentId, createdAt: submittedAt }, { runCount: 1 }))
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet({ run_count: sql<number>`sessions.run_count + 1` }),
    )
    .returning("run_count"),
);

const insertRun = keepQuery<RunsTable>(...runRow.columns)((db, values) =>
  db.insertInto("runs").values(values),
);

const insertInput = keepQuery<TableOf<typeof inputRow>>(...inputRow.columns)((db, values) =>
  db.insertInto("run_inputs").values(values),
);

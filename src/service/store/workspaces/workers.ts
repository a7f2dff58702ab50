// Workers of task groups in SQL.

import { type Kysely, sql } from "kysely";
import { saveStates } from "../../../contract/workspaces/workers/worker.ts";
import type { WorkerPage, WorkerStore } from "../../core/workspaces/workers/store-port.ts";
import type { SeenWorker, Worker, WorkerSave } from "../../core/workspaces/workers/worker.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, nullable, oneOf, text } from "../row-columns.ts";
import { isUnfinished, runRow } from "../run-rows.ts";
import type { Database } from "../tables.ts";
import { actor } from "./actor.ts";

const UNSETTLED = ["none", "saving"];

const save = {
  saveState: oneOf(saveStates),
  savedRevisionId: nullable(text),
  saveError: nullable(text),
  savedAt: nullable(integer),
};

const saveRow = row<WorkerSave>("workers")(save);

export const workerRow = row<Worker>("workers")({
  id: text,
  workspaceId: text,
  taskGroupId: text,
  copyId: text,
  agentId: text,
  runId: text,
  ...save,
  shareMicroUsd: nullable(integer),
  createdBy: actor,
  createdAt: integer,
});

declare module "../tables.ts" {
  interface Database {
    workers: TableOf<typeof workerRow>;
  }
}

export class SqlWorkers implements WorkerStore {
  readonly #db: Kysely<Database>;
  readonly #hasRowLocks: boolean;

  constructor({ db, hasRowLocks }: Connection) {
    this.#db = db;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<SeenWorker | null> {
    const row = await this.#seen().where("workers.id", "=", id).executeTakeFirst();
    return row === undefined ? null : toSeen(row);
  }

  async findAll(ids: readonly string[]): Promise<readonly SeenWorker[]> {
    if (ids.length === 0) return [];
    return (
      await this.#seen()
        .where("workers.id", "in", [...ids])
        .execute()
    ).map(toSeen);
  }

  async list({ workspaceId, taskGroupId, before, limit }: WorkerPage): Promise<readonly SeenWorker[]> {
    let page = this.#seen().where("workers.workspace_id", "=", workspaceId);
    if (taskGroupId !== null) page = page.where("workers.task_group_id", "=", taskGroupId);
    if (before !== null) page = page.where("workers.id", "<", before);
    return (await page.orderBy("workers.id", "desc").limit(limit).execute()).map(toSeen);
  }

  async listUnsettled({ now, limit }: { now: number; limit: number }): Promise<readonly Worker[]> {
    const rows = await this.#db
      .selectFrom("workers")
      .innerJoin("runs", "runs.id", "workers.run_id")
      .leftJoin("copies", "copies.id", "workers.copy_id")
      .selectAll("workers")
      // As the index `workers_unsettled` has it.
      .where(sql<boolean>`workers.save_state in ('none', 'saving')`)
      .where("runs.ended_at", "is not", null)
      .where(({ eb, or }) =>
        or([
          eb("copies.held_by_run_id", "is", null),
          eb("copies.held_by_run_id", "!=", eb.ref("workers.run_id")),
          eb("copies.held_until", "<=", now),
        ]),
      )
      .orderBy("workers.id")
      .limit(limit)
      .execute();
    return rows.map(workerRow.read);
  }

  async listUnfinishedRuns(taskGroupId: string): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom("workers")
      .innerJoin("runs", "runs.id", "workers.run_id")
      .select("runs.id")
      .where("workers.task_group_id", "=", taskGroupId)
      .where(isUnfinished)
      .orderBy("runs.id")
      .execute();
    return rows.map(({ id }) => id);
  }

  async insert(worker: Worker): Promise<void> {
    await this.#db.insertInto("workers").values(workerRow.write(worker)).execute();
  }

  async lock(id: string): Promise<Worker | null> {
    const query = this.#db.selectFrom("workers").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : workerRow.read(row);
  }

  async setSave(id: string, given: WorkerSave): Promise<void> {
    await this.#db
      .updateTable("workers")
      .set(saveRow.write(given))
      .where("id", "=", id)
      .where("save_state", "in", UNSETTLED)
      .execute();
  }

  #seen() {
    return this.#db
      .selectFrom("workers")
      .innerJoin("runs", "runs.id", "workers.run_id")
      .selectAll("workers")
      .select("runs.status as run_status");
  }
}

function toSeen(found: TableOf<typeof workerRow> & { run_status: string }): SeenWorker {
  return { worker: workerRow.read(found), runStatus: runRow.readField("status", found.run_status) };
}

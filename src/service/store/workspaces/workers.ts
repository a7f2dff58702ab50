// Workers of task groups in SQL.

import { type Kysely, type Selectable, sql } from "kysely";
import { runStatuses } from "../../../contract/runs/run.ts";
import { saveStates } from "../../../contract/workspaces/workers/save-states.ts";
import type { WorkerPage, WorkerStore } from "../../core/ports/store/workspaces/workers.ts";
import type { SeenWorker, Worker, WorkerSave } from "../../core/workspaces/workers/worker.ts";
import { oneOf } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { isUnfinished } from "../run-rows.ts";
import type { Database } from "../tables.ts";
import type { WorkersTable } from "../workspace-tables.ts";
import { parseActor } from "./actor.ts";

const UNSETTLED = ["none", "saving"];

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
    return rows.map(toWorker);
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
    await this.#db.insertInto("workers").values(toRow(worker)).execute();
  }

  async lock(id: string): Promise<Worker | null> {
    const query = this.#db.selectFrom("workers").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : toWorker(row);
  }

  async setSave(id: string, { saveState, savedRevisionId, saveError, savedAt }: WorkerSave): Promise<void> {
    await this.#db
      .updateTable("workers")
      .set({
        save_state: saveState,
        saved_revision_id: savedRevisionId,
        save_error: saveError,
        saved_at: savedAt,
      })
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

function toSeen(row: Selectable<WorkersTable> & { run_status: string }): SeenWorker {
  return { worker: toWorker(row), runStatus: oneOf(runStatuses, row.run_status, "runs.status") };
}

function toWorker(row: Selectable<WorkersTable>): Worker {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    taskGroupId: row.task_group_id,
    copyId: row.copy_id,
    agentId: row.agent_id,
    runId: row.run_id,
    saveState: oneOf(saveStates, row.save_state, "workers.save_state"),
    savedRevisionId: row.saved_revision_id,
    saveError: row.save_error,
    shareMicroUsd: row.share_micro_usd,
    createdBy: parseActor(row.created_by),
    createdAt: row.created_at,
    savedAt: row.saved_at,
  };
}

function toRow(worker: Worker) {
  return {
    id: worker.id,
    workspace_id: worker.workspaceId,
    task_group_id: worker.taskGroupId,
    copy_id: worker.copyId,
    agent_id: worker.agentId,
    run_id: worker.runId,
    save_state: worker.saveState,
    saved_revision_id: worker.savedRevisionId,
    save_error: worker.saveError,
    share_micro_usd: worker.shareMicroUsd,
    created_by: JSON.stringify(worker.createdBy),
    created_at: worker.createdAt,
    saved_at: worker.savedAt,
  };
}

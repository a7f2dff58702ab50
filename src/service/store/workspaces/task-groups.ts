// Task groups in SQL.

import { type Kysely, sql } from "kysely";
import { taskGroupStatuses } from "../../../contract/workspaces/task-groups/task-group.ts";
import type { TaskGroupPage, TaskGroupStore } from "../../core/workspaces/task-groups/store-port.ts";
import type { GroupUse, TaskGroup, WorkerCount } from "../../core/workspaces/task-groups/task-group.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, nullable, oneOf, text } from "../row-columns.ts";
import { runRow } from "../run-rows.ts";
import type { Database } from "../tables.ts";
import { actor } from "./actor.ts";
import { workerRow } from "./workers.ts";

/** Of runs that have not ended: their shares, or what they hold. */
const reserved = sql<number>`sum(case
  when workers.share_micro_usd > runs.hold_micro_usd then workers.share_micro_usd
  else runs.hold_micro_usd end)`;

export const taskGroupRow = row<TaskGroup>("task_groups")({
  id: text,
  workspaceId: text,
  accountId: text,
  name: text,
  status: oneOf(taskGroupStatuses),
  budgetMicroUsd: nullable(integer),
  maxWorkers: integer,
  createdBy: actor,
  createdAt: integer,
  stoppedAt: nullable(integer),
});

declare module "../tables.ts" {
  interface Database {
    task_groups: TableOf<typeof taskGroupRow>;
  }
}

export class SqlTaskGroups implements TaskGroupStore {
  readonly #db: Kysely<Database>;
  readonly #hasRowLocks: boolean;

  constructor({ db, hasRowLocks }: Connection) {
    this.#db = db;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<TaskGroup | null> {
    const row = await this.#db.selectFrom("task_groups").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : taskGroupRow.read(row);
  }

  async list({ workspaceId, before, limit }: TaskGroupPage): Promise<readonly TaskGroup[]> {
    const all = this.#db.selectFrom("task_groups").selectAll().where("workspace_id", "=", workspaceId);
    const page = before === null ? all : all.where("id", "<", before);
    return (await page.orderBy("id", "desc").limit(limit).execute()).map(taskGroupRow.read);
  }

  async countWorkers(ids: readonly string[]): Promise<ReadonlyMap<string, readonly WorkerCount[]>> {
    const counts = new Map<string, WorkerCount[]>();
    if (ids.length === 0) return counts;
    const rows = await this.#db
      .selectFrom("workers")
      .innerJoin("runs", "runs.id", "workers.run_id")
      .select(["workers.task_group_id", "runs.status", "workers.save_state"])
      .select(({ fn }) => fn.countAll<number | string>().as("workers"))
      .where("workers.task_group_id", "in", [...ids])
      .groupBy(["workers.task_group_id", "runs.status", "workers.save_state"])
      .execute();
    for (const { task_group_id: groupId, status, save_state, workers } of rows) {
      const count = {
        runStatus: runRow.readField("status", status),
        saveState: workerRow.readField("saveState", save_state),
        workers: Number(workers),
      };
      counts.set(groupId, [...(counts.get(groupId) ?? []), count]);
    }
    return counts;
  }

  async changesetIds(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const found = new Map<string, string[]>();
    if (ids.length === 0) return found;
    const rows = await this.#db
      .selectFrom("changesets")
      .select(["id", "task_group_id"])
      .where("task_group_id", "in", [...ids])
      .orderBy("id")
      .execute();
    for (const { id, task_group_id: groupId } of rows) {
      if (groupId !== null) found.set(groupId, [...(found.get(groupId) ?? []), id]);
    }
    return found;
  }

  async useOf(id: string): Promise<GroupUse> {
    const ofGroup = this.#db
      .selectFrom("workers")
      .innerJoin("runs", "runs.id", "workers.run_id")
      .where("workers.task_group_id", "=", id);
    const reservation = await ofGroup
      .select(reserved.as("micro_usd"))
      .select(({ fn }) => fn.countAll<number | string>().as("runs"))
      .where("runs.ended_at", "is", null)
      .executeTakeFirst();
    const spent = await this.#db
      // With what the workers' runs delegated.
      .withRecursive("counted(id)", (db) =>
        db
          .selectFrom("workers")
          .innerJoin("runs", "runs.id", "workers.run_id")
          .select("runs.id as id")
          .where("workers.task_group_id", "=", id)
          .where("runs.ended_at", "is not", null)
          .union(
            db
              .selectFrom("counted")
              .innerJoin("runs", "runs.parent_run_id", "counted.id")
              .select("runs.id as id"),
          ),
      )
      .selectFrom("counted")
      .innerJoin("runs", "runs.id", "counted.id")
      .select(sql<number>`sum(runs.gross_micro_usd - runs.refunded_micro_usd)`.as("micro_usd"))
      .executeTakeFirst();
    return {
      inFlight: Number(reservation?.runs ?? 0),
      microUsd: Number(reservation?.micro_usd ?? 0) + Number(spent?.micro_usd ?? 0),
    };
  }

  async insert(group: TaskGroup): Promise<void> {
    await this.#db.insertInto("task_groups").values(taskGroupRow.write(group)).execute();
  }

  async lock(id: string): Promise<TaskGroup | null> {
    const query = this.#db.selectFrom("task_groups").selectAll().where("id", "=", id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : taskGroupRow.read(row);
  }

  async stop(id: string, now: number): Promise<void> {
    await this.#db
      .updateTable("task_groups")
      .set({ status: "stopped", stopped_at: now })
      .where("id", "=", id)
      .where("status", "=", "open")
      .execute();
  }
}

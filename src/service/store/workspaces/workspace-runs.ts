// Places of runs in workspaces, in SQL.

import type { Kysely } from "kysely";
import type { RunRecord } from "../../core/runs/run-record.ts";
import type {
  CostQuery,
  WorkspaceRun,
  WorkspaceRunPage,
  WorkspaceRunStore,
} from "../../core/workspaces/placed-runs/store-port.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, nullable, text } from "../row-columns.ts";
import { isUnfinished, runRow } from "../run-rows.ts";
import type { Database } from "../tables.ts";

export const workspaceRunRow = row<WorkspaceRun>("workspace_runs")({
  runId: text,
  workspaceId: text,
  agentId: text,
  copyId: nullable(text),
  taskGroupId: nullable(text),
  workerId: nullable(text),
  begunCommitOid: nullable(text),
  createdAt: integer,
});

declare module "../tables.ts" {
  interface Database {
    workspace_runs: TableOf<typeof workspaceRunRow>;
  }
}

export class SqlWorkspaceRuns implements WorkspaceRunStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(runIds: readonly string[]): Promise<readonly WorkspaceRun[]> {
    if (runIds.length === 0) return [];
    const rows = await this.#db
      .selectFrom("workspace_runs")
      .selectAll()
      .where("run_id", "in", [...runIds])
      .execute();
    return rows.map(workspaceRunRow.read);
  }

  async list({ workspaceId, copyId, before, limit }: WorkspaceRunPage): Promise<readonly RunRecord[]> {
    let page = this.#db
      .selectFrom("workspace_runs")
      .innerJoin("runs", "runs.id", "workspace_runs.run_id")
      .selectAll("runs")
      .where("workspace_runs.workspace_id", "=", workspaceId);
    if (copyId !== null) page = page.where("workspace_runs.copy_id", "=", copyId);
    if (before !== null) page = page.where("workspace_runs.run_id", "<", before);
    return (await page.orderBy("workspace_runs.run_id", "desc").limit(limit).execute()).map(runRow.read);
  }

  async findUnfinishedIn(copyId: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom("workspace_runs")
      .innerJoin("runs", "runs.id", "workspace_runs.run_id")
      .select("runs.id")
      .where("workspace_runs.copy_id", "=", copyId)
      .where(isUnfinished)
      .where("runs.parked", "is", null)
      .orderBy("runs.id")
      .limit(1)
      .executeTakeFirst();
    return row?.id ?? null;
  }

  async listForCosts({ of, since, until, after, limit }: CostQuery): Promise<readonly RunRecord[]> {
    const column = "workspaceId" in of ? "workspace_id" : "task_group_id";
    const value = "workspaceId" in of ? of.workspaceId : of.taskGroupId;
    let page = this.#db
      // A run that a workspace's run delegated has no row of its own there, or has one: it counts once.
      .withRecursive("counted(id)", (db) =>
        db
          .selectFrom("workspace_runs")
          .select("workspace_runs.run_id as id")
          .where(column, "=", value)
          .union(
            db
              .selectFrom("counted")
              .innerJoin("runs", "runs.parent_run_id", "counted.id")
              .select("runs.id as id"),
          ),
      )
      .selectFrom("counted")
      .innerJoin("runs", "runs.id", "counted.id")
      .selectAll("runs");
    if (since !== null) page = page.where("runs.submitted_at", ">=", since);
    if (until !== null) page = page.where("runs.submitted_at", "<", until);
    if (after !== null) page = page.where("runs.id", ">", after);
    return (await page.orderBy("runs.id").limit(limit).execute()).map(runRow.read);
  }

  async insert(run: WorkspaceRun): Promise<void> {
    await this.#db.insertInto("workspace_runs").values(workspaceRunRow.write(run)).execute();
  }

  async begin({ runId, commitOid }: { runId: string; commitOid: string }): Promise<void> {
    await this.#db
      .updateTable("workspace_runs")
      .set({ begun_commit_oid: commitOid })
      .where("run_id", "=", runId)
      .execute();
  }
}

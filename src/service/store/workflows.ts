// Workflows and their versions in SQL. A version is never changed.

import { type Kysely, type Selectable, sql } from "kysely";
import type { WorkflowStore } from "../core/ports/store/workflows.ts";
import type { WorkflowRecord } from "../core/workflows/workflow.ts";
import type { Connection } from "./connection.ts";
import type { Database, WorkflowsTable } from "./tables.ts";

export class SqlWorkflows implements WorkflowStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(id: string): Promise<WorkflowRecord | null> {
    const row = await this.#db.selectFrom("workflows").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : toWorkflow(row);
  }

  async list(agentId: string): Promise<readonly WorkflowRecord[]> {
    const rows = await this.#db
      .selectFrom("workflows")
      .selectAll()
      .where("agent_id", "=", agentId)
      .orderBy("id")
      .execute();
    return rows.map(toWorkflow);
  }

  async findPrompt({ id, version }: { id: string; version: number }): Promise<string | null> {
    const row = await this.#db
      .selectFrom("workflow_versions")
      .select("prompt")
      .where("workflow_id", "=", id)
      .where("version", "=", version)
      .executeTakeFirst();
    return row?.prompt ?? null;
  }

  async lock(id: string): Promise<WorkflowRecord | null> {
    // A write that changes nothing locks the row on both databases.
    const row = await this.#db
      .updateTable("workflows")
      .set({ id: sql<string>`id` })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toWorkflow(row);
  }

  async insert(workflow: WorkflowRecord): Promise<void> {
    await this.#db
      .insertInto("workflows")
      .values({
        id: workflow.id,
        agent_id: workflow.agentId,
        name: workflow.name,
        version: workflow.version,
        active_version: workflow.activeVersion,
        created_at: workflow.createdAt,
        updated_at: workflow.updatedAt,
      })
      .execute();
  }

  async insertVersion({
    id,
    version,
    prompt,
    now,
  }: {
    id: string;
    version: number;
    prompt: string;
    now: number;
  }): Promise<void> {
    await this.#db.insertInto("workflow_versions").values({ workflow_id: id, version, prompt }).execute();
    await this.#db.updateTable("workflows").set({ version, updated_at: now }).where("id", "=", id).execute();
  }

  async activate({ id, version, now }: { id: string; version: number; now: number }): Promise<void> {
    await this.#db
      .updateTable("workflows")
      .set({ active_version: version, updated_at: now })
      .where("id", "=", id)
      .execute();
  }

  async rename({ id, name }: { id: string; name: string }): Promise<void> {
    await this.#db.updateTable("workflows").set({ name }).where("id", "=", id).execute();
  }

  async deactivate({ id, now }: { id: string; now: number }): Promise<void> {
    await this.#db
      .updateTable("workflows")
      .set({ active_version: null, updated_at: now })
      .where("id", "=", id)
      .where("active_version", "is not", null)
      .execute();
  }

  async assign({ id, agentId, now }: { id: string; agentId: string; now: number }): Promise<void> {
    await this.#db
      .updateTable("workflows")
      .set({ agent_id: agentId, active_version: null, updated_at: now })
      .where("id", "=", id)
      .execute();
  }

  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom("workflow_versions").where("workflow_id", "=", id).execute();
    await this.#db.deleteFrom("workflows").where("id", "=", id).execute();
  }

  async deactivateAll({ agentId, now }: { agentId: string; now: number }): Promise<void> {
    await this.#db
      .updateTable("workflows")
      .set({ active_version: null, updated_at: now })
      .where("agent_id", "=", agentId)
      .where("active_version", "is not", null)
      .execute();
  }
}

export function toWorkflow(row: Selectable<WorkflowsTable>): WorkflowRecord {
  return {
    id: row.id,
    agentId: row.agent_id,
    name: row.name,
    version: row.version,
    activeVersion: row.active_version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

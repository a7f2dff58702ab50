// Workflows and their versions in SQL. A version is never changed.

import { type Kysely, sql } from "kysely";
import type { WorkflowStore } from "../core/workflows/store-port.ts";
import type { WorkflowRecord } from "../core/workflows/workflow.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, named, nullable, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const workflowRow = row<WorkflowRecord>("workflows")({
  id: text,
  agentId: text,
  name: text,
  version: integer,
  activeVersion: nullable(integer),
  createdAt: integer,
  updatedAt: integer,
});

type WorkflowVersion = { readonly id: string; readonly version: number; readonly prompt: string };

export const versionRow = row<WorkflowVersion>("workflow_versions")({
  id: named("workflow_id", text),
  version: integer,
  prompt: text,
});

declare module "./tables.ts" {
  interface Database {
    workflows: TableOf<typeof workflowRow>;
    workflow_versions: TableOf<typeof versionRow>;
  }
}

export class SqlWorkflows implements WorkflowStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(id: string): Promise<WorkflowRecord | null> {
    const row = await this.#db.selectFrom("workflows").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : workflowRow.read(row);
  }

  async list(agentId: string): Promise<readonly WorkflowRecord[]> {
    const rows = await this.#db
      .selectFrom("workflows")
      .selectAll()
      .where("agent_id", "=", agentId)
      .orderBy("id")
      .execute();
    return rows.map(workflowRow.read);
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
    return row === undefined ? null : workflowRow.read(row);
  }

  async insert(workflow: WorkflowRecord): Promise<void> {
    await this.#db.insertInto("workflows").values(workflowRow.write(workflow)).execute();
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
    await this.#db
      .insertInto("workflow_versions")
      .values(versionRow.write({ id, version, prompt }))
      .execute();
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

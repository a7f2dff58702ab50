// Workflows and their versions in SQL. A version, once written, is never changed.

import { type Kysely, type Selectable, sql } from "kysely";
import type { StoreTransaction } from "../core/ports/store.ts";
import type { WorkflowRecord } from "../core/records.ts";
import type { Database, WorkflowsTable } from "./tables.ts";

type Workflows = Pick<
  StoreTransaction,
  | "findWorkflow"
  | "listWorkflows"
  | "findWorkflowPrompt"
  | "lockWorkflow"
  | "insertWorkflow"
  | "insertWorkflowVersion"
  | "renameWorkflow"
  | "activateWorkflow"
  | "deactivateWorkflows"
>;

export function workflowQueries(db: Kysely<Database>): Workflows {
  return {
    findWorkflow: async (id) => {
      const row = await db.selectFrom("workflows").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toWorkflow(row);
    },

    listWorkflows: async (agentId) => {
      const rows = await db
        .selectFrom("workflows")
        .selectAll()
        .where("agent_id", "=", agentId)
        .orderBy("id")
        .execute();
      return rows.map(toWorkflow);
    },

    findWorkflowPrompt: async ({ id, version }) => {
      const row = await db
        .selectFrom("workflow_versions")
        .select("prompt")
        .where("workflow_id", "=", id)
        .where("version", "=", version)
        .executeTakeFirst();
      return row?.prompt ?? null;
    },

    lockWorkflow: async (id) => {
      // A write that changes nothing: the lock that both databases have.
      const row = await db
        .updateTable("workflows")
        .set({ id: sql<string>`id` })
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : toWorkflow(row);
    },

    insertWorkflow: async (workflow) => {
      await db
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
    },

    insertWorkflowVersion: async ({ id, version, prompt, now }) => {
      await db.insertInto("workflow_versions").values({ workflow_id: id, version, prompt }).execute();
      await db.updateTable("workflows").set({ version, updated_at: now }).where("id", "=", id).execute();
    },

    activateWorkflow: async ({ id, version, now }) => {
      await db
        .updateTable("workflows")
        .set({ active_version: version, updated_at: now })
        .where("id", "=", id)
        .execute();
    },

    renameWorkflow: async ({ id, name }) => {
      await db.updateTable("workflows").set({ name }).where("id", "=", id).execute();
    },

    deactivateWorkflows: async ({ agentId, now }) => {
      await db
        .updateTable("workflows")
        .set({ active_version: null, updated_at: now })
        .where("agent_id", "=", agentId)
        .where("active_version", "is not", null)
        .execute();
    },
  };
}

function toWorkflow(row: Selectable<WorkflowsTable>): WorkflowRecord {
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

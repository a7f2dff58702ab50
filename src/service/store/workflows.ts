// Workflows and their versions in SQL. A version, once written, is never changed.

import type { Kysely } from "kysely";
import type { StoreTransaction } from "../core/ports/store.ts";
import type { Database } from "./tables.ts";

type Workflows = Pick<
  StoreTransaction,
  "findWorkflow" | "findWorkflowPrompt" | "insertWorkflow" | "insertWorkflowVersion" | "activateWorkflow"
>;

export function workflowQueries(db: Kysely<Database>): Workflows {
  return {
    findWorkflow: async (id) => {
      const row = await db.selectFrom("workflows").selectAll().where("id", "=", id).executeTakeFirst();
      if (row === undefined) return null;
      return {
        id: row.id,
        agentId: row.agent_id,
        name: row.name,
        version: row.version,
        activeVersion: row.active_version,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
      };
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
  };
}

// Adoptions of repositories by workspaces in SQL.

import type { Kysely } from "kysely";
import * as z from "zod/mini";
import { adoptionStatuses } from "../../../contract/workspaces/adoption/adoption-statuses.ts";
import type { AdoptionStore } from "../../core/ports/store/workspaces/adoptions.ts";
import type { Adoption } from "../../core/workspaces/adoption/adoption.ts";
import { oneOf } from "../columns.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../tables.ts";

const errorSchema = z.object({ code: z.string(), error: z.string() });

export class SqlAdoptions implements AdoptionStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(workspaceId: string): Promise<Adoption | null> {
    const row = await this.#db
      .selectFrom("adoptions")
      .selectAll()
      .where("workspace_id", "=", workspaceId)
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      workspaceId,
      agentId: row.agent_id,
      status: oneOf(adoptionStatuses, row.status, "adoptions.status"),
      sha: row.sha,
      objects: row.objects,
      bytes: row.bytes,
      error: row.error === null ? null : errorSchema.parse(JSON.parse(row.error)),
      beforeRevisionId: row.before_revision_id,
      revisionId: row.revision_id,
      operationId: row.operation_id,
      createdAt: row.created_at,
      endedAt: row.ended_at,
    };
  }

  async findRunningOf(agentId: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom("adoptions")
      .select("workspace_id")
      .where("agent_id", "=", agentId)
      .where("status", "=", "running")
      .orderBy("workspace_id")
      .limit(1)
      .executeTakeFirst();
    return row?.workspace_id ?? null;
  }

  async put(adoption: Adoption): Promise<void> {
    const { workspaceId, error } = adoption;
    const values = {
      agent_id: adoption.agentId,
      status: adoption.status,
      sha: adoption.sha,
      objects: adoption.objects,
      bytes: adoption.bytes,
      error: error === null ? null : JSON.stringify(error),
      before_revision_id: adoption.beforeRevisionId,
      revision_id: adoption.revisionId,
      operation_id: adoption.operationId,
      created_at: adoption.createdAt,
      ended_at: adoption.endedAt,
    };
    await this.#db
      .insertInto("adoptions")
      .values({ workspace_id: workspaceId, ...values })
      .onConflict((conflict) => conflict.column("workspace_id").doUpdateSet(values))
      .execute();
  }

  async tell({ operationId, objects, bytes }: { operationId: string; objects: number; bytes: number }) {
    await this.#db
      .updateTable("adoptions")
      .set({ objects, bytes })
      .where("operation_id", "=", operationId)
      .where("status", "=", "running")
      .execute();
  }
}

// Adoptions of repositories by workspaces in SQL.

import type { Kysely } from "kysely";
import * as z from "zod/mini";
import { adoptionStatuses } from "../../../contract/workspaces/adoption.ts";
import type { Adoption } from "../../core/workspaces/adoption/adoption.ts";
import type { AdoptionStore } from "../../core/workspaces/adoption/store-port.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, json, nullable, oneOf, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";

const errorSchema = z.object({ code: z.string(), error: z.string() });

export const adoptionRow = row<Adoption>("adoptions")({
  workspaceId: text,
  agentId: text,
  status: oneOf(adoptionStatuses),
  sha: text,
  objects: integer,
  bytes: integer,
  error: nullable(json((stored) => errorSchema.parse(JSON.parse(stored)))),
  beforeRevisionId: text,
  revisionId: nullable(text),
  operationId: text,
  createdAt: integer,
  endedAt: nullable(integer),
});

declare module "../tables.ts" {
  interface Database {
    adoptions: TableOf<typeof adoptionRow>;
  }
}

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
    return row === undefined ? null : adoptionRow.read(row);
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
    await this.#db
      .insertInto("adoptions")
      .values(adoptionRow.write(adoption))
      .onConflict((conflict) =>
        conflict.column("workspace_id").doUpdateSet(adoptionRow.replacing("workspace_id")),
      )
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

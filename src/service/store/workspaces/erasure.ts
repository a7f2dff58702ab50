// All that a workspace is made of, deleted, in SQL.

import { type Kysely, sql } from "kysely";
import type { ErasureStore } from "../../core/workspaces/store-port.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../tables.ts";

/** The tables that have rows of a workspace. */
type OfWorkspace = {
  [Table in keyof Database]: "workspace_id" extends keyof Database[Table] ? Table : never;
}[keyof Database];

/** Tables that are deleted from in one transaction with the workspace itself: a table that is left out does not compile. */
const rest: Readonly<Record<Exclude<OfWorkspace, "agents" | "operations" | "workspace_objects">, true>> = {
  copy_trash: true,
  download_links: true,
  copies: true,
  retention_pins: true,
  changesets: true,
  adoptions: true,
  revisions: true,
  workspace_members: true,
  workspace_threads: true,
  context_items: true,
  task_groups: true,
  workspace_runs: true,
  workers: true,
  sites: true,
  site_links: true,
  workspace_schedules: true,
  workspace_workflows: true,
  workspace_sweeps: true,
  workspace_feeds: true,
  workspace_events: true,
};

export class SqlErasure implements ErasureStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async begin(workspaceId: string): Promise<void> {
    await this.#db
      .updateTable("workspaces")
      .set({ state: "erasing" })
      .where("id", "=", workspaceId)
      .execute();
    await sql`delete from run_journal where run_id in (
      select run_id from workspace_runs where workspace_id = ${workspaceId}
    )`.execute(this.#db);
    // In one order, as everybody who locks several.
    const ids = await this.#db
      .selectFrom("copies")
      .select("id")
      .where("workspace_id", "=", workspaceId)
      .orderBy("id")
      .execute();
    for (const { id } of ids) {
      await this.#db.updateTable("copies").set({ state: "deleting" }).where("id", "=", id).execute();
    }
  }

  async eraseFiles({ workspaceId, limit }: { workspaceId: string; limit: number }) {
    const entries = await sql`
      delete from copy_entries where (copy_id, path) in (
        select copy_id, path from copy_entries
        where copy_id in (select id from copies where workspace_id = ${workspaceId}) limit ${limit}
      )
    `.execute(this.#db);
    const rows = Number(entries.numAffectedRows ?? 0);
    if (rows > 0) return { rows, blobKeys: [] };
    const objects = await sql<{ blob_key: string | null }>`
      delete from workspace_objects where workspace_id = ${workspaceId} and oid in (
        select oid from workspace_objects where workspace_id = ${workspaceId} order by oid limit ${limit}
      ) returning blob_key
    `.execute(this.#db);
    const blobKeys = objects.rows.flatMap(({ blob_key: key }) => (key === null ? [] : [key]));
    return { rows: objects.rows.length, blobKeys };
  }

  async eraseRest(workspaceId: string): Promise<void> {
    for (const table of Object.keys(rest)) {
      await sql`delete from ${sql.table(table)} where workspace_id = ${workspaceId}`.execute(this.#db);
    }
    await this.#db.deleteFrom("workspaces").where("id", "=", workspaceId).execute();
  }
}

// The sessions of workspaces, in SQL.

import type { Kysely, Selectable } from "kysely";
import type { WorkspaceThingsPage } from "../../core/ports/store/workspaces/page.ts";
import type { ThreadStore } from "../../core/ports/store/workspaces/threads.ts";
import type { Thread } from "../../core/workspaces/threads/thread.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../tables.ts";
import type { WorkspaceThreadsTable } from "../workspace-tables.ts";

export class SqlThreads implements ThreadStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(id: string): Promise<Thread | null> {
    const row = await this.#all().where("session_id", "=", id).executeTakeFirst();
    return row === undefined ? null : toThread(row);
  }

  async list({ workspaceId, before, limit }: WorkspaceThingsPage): Promise<readonly Thread[]> {
    const all = this.#all().where("workspace_id", "=", workspaceId);
    const page = before === null ? all : all.where("session_id", "<", before);
    return (await page.orderBy("session_id", "desc").limit(limit).execute()).map(toThread);
  }

  async insert({ id, workspaceId, agentId, title, createdAt }: Thread): Promise<void> {
    await this.#db
      .insertInto("workspace_threads")
      .values({
        ...{ session_id: id, workspace_id: workspaceId, agent_id: agentId },
        ...{ title, created_at: createdAt },
      })
      .onConflict((conflict) => conflict.column("session_id").doNothing())
      .execute();
  }

  #all() {
    return this.#db.selectFrom("workspace_threads").selectAll();
  }
}

function toThread(row: Selectable<WorkspaceThreadsTable>): Thread {
  return {
    id: row.session_id,
    workspaceId: row.workspace_id,
    agentId: row.agent_id,
    title: row.title,
    createdAt: row.created_at,
  };
}

// The sessions of workspaces, in SQL.

import type { Kysely } from "kysely";
import type { WorkspaceThingsPage } from "../../core/ports/workspace-page.ts";
import type { ThreadStore } from "../../core/workspaces/threads/store-port.ts";
import type { Thread } from "../../core/workspaces/threads/thread.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, named, nullable, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";

export const threadRow = row<Thread>("workspace_threads")({
  id: named("session_id", text),
  workspaceId: text,
  agentId: text,
  title: nullable(text),
  createdAt: integer,
});

declare module "../tables.ts" {
  interface Database {
    workspace_threads: TableOf<typeof threadRow>;
  }
}

export class SqlThreads implements ThreadStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(id: string): Promise<Thread | null> {
    const row = await this.#all().where("session_id", "=", id).executeTakeFirst();
    return row === undefined ? null : threadRow.read(row);
  }

  async list({ workspaceId, before, limit }: WorkspaceThingsPage): Promise<readonly Thread[]> {
    const all = this.#all().where("workspace_id", "=", workspaceId);
    const page = before === null ? all : all.where("session_id", "<", before);
    return (await page.orderBy("session_id", "desc").limit(limit).execute()).map(threadRow.read);
  }

  async insert(thread: Thread): Promise<void> {
    await this.#db
      .insertInto("workspace_threads")
      .values(threadRow.write(thread))
      .onConflict((conflict) => conflict.column("session_id").doNothing())
      .execute();
  }

  #all() {
    return this.#db.selectFrom("workspace_threads").selectAll();
  }
}

// Context items of workspaces, in SQL.

import { type Kysely, sql } from "kysely";
import { contextKinds } from "../../../contract/workspaces/context-items.ts";
import type { WorkspaceThingsPage } from "../../core/ports/workspace-page.ts";
import type { ContextItem } from "../../core/workspaces/context-items/context-item.ts";
import type { ContextItemStore } from "../../core/workspaces/context-items/store-port.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, oneOf, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";

export const contextItemRow = row<ContextItem>("context_items")({
  id: text,
  workspaceId: text,
  kind: oneOf(contextKinds),
  title: text,
  content: text,
  createdAt: integer,
});

declare module "../tables.ts" {
  interface Database {
    context_items: TableOf<typeof contextItemRow>;
  }
}

export class SqlContextItems implements ContextItemStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(id: string): Promise<ContextItem | null> {
    const row = await this.#all().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : contextItemRow.read(row);
  }

  async list({ workspaceId, before, limit }: WorkspaceThingsPage): Promise<readonly ContextItem[]> {
    const all = this.#all().where("workspace_id", "=", workspaceId);
    const page = before === null ? all : all.where("id", "<", before);
    return (await page.orderBy("id", "desc").limit(limit).execute()).map(contextItemRow.read);
  }

  async measure(workspaceId: string): Promise<{ readonly items: number; readonly bytes: number }> {
    const { items, bytes } = await this.#db
      .selectFrom("context_items")
      .select(({ fn }) => [
        fn.countAll<number>().as("items"),
        sql<number>`coalesce(sum(octet_length(content)), 0)`.as("bytes"),
      ])
      .where("workspace_id", "=", workspaceId)
      .executeTakeFirstOrThrow();
    return { items: Number(items), bytes: Number(bytes) };
  }

  async insert(item: ContextItem): Promise<void> {
    await this.#db.insertInto("context_items").values(contextItemRow.write(item)).execute();
  }

  async delete(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("context_items")
      .where("id", "=", id)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }

  #all() {
    return this.#db.selectFrom("context_items").selectAll();
  }
}

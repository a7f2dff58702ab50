// The trash of copies in SQL.

import type { Kysely } from "kysely";
import type { TrashItem } from "../../core/workspaces/copies/copy-entry.ts";
import type { TrashStore } from "../../core/workspaces/copies/entries-port.ts";
import { treeModes } from "../../core/workspaces/objects/tree-object.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, oneOf, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";

type Item = { readonly copyId: string; readonly handle: string };

export const trashRow = row<TrashItem>("copy_trash")({
  handle: text,
  workspaceId: text,
  copyId: text,
  path: text,
  mode: oneOf(treeModes),
  oid: text,
  files: integer,
  deletedAt: integer,
});

declare module "../tables.ts" {
  interface Database {
    copy_trash: TableOf<typeof trashRow>;
  }
}

export class SqlTrash implements TrashStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find({ copyId, handle }: Item): Promise<TrashItem | null> {
    const row = await this.#db
      .selectFrom("copy_trash")
      .selectAll()
      .where("handle", "=", handle)
      .where("copy_id", "=", copyId)
      .executeTakeFirst();
    return row === undefined ? null : trashRow.read(row);
  }

  async insert(item: TrashItem): Promise<void> {
    await this.#db.insertInto("copy_trash").values(trashRow.write(item)).execute();
  }

  async remove({ copyId, handle }: Item): Promise<boolean> {
    const removed = await this.#db
      .deleteFrom("copy_trash")
      .where("handle", "=", handle)
      .where("copy_id", "=", copyId)
      .returning("handle")
      .execute();
    return removed.length > 0;
  }

  async purge(copyId: string): Promise<number> {
    const purged = await this.#db.deleteFrom("copy_trash").where("copy_id", "=", copyId).executeTakeFirst();
    return Number(purged.numDeletedRows);
  }
}

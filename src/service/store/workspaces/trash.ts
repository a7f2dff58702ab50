// The trash of copies in SQL.

import type { Kysely } from "kysely";
import type { TrashStore } from "../../core/ports/store/workspaces/trash.ts";
import type { TrashItem } from "../../core/workspaces/files/copy-entry.ts";
import { treeModes } from "../../core/workspaces/objects/tree-object.ts";
import { oneOf } from "../columns.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../tables.ts";

type Item = { readonly copyId: string; readonly handle: string };

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
    if (row === undefined) return null;
    const { workspace_id: workspaceId, path, oid, files, deleted_at: deletedAt } = row;
    const mode = oneOf(treeModes, row.mode, "copy_trash.mode");
    return { handle, workspaceId, copyId, path, mode, oid, files, deletedAt };
  }

  async insert({ handle, workspaceId, copyId, path, mode, oid, files, deletedAt }: TrashItem): Promise<void> {
    const row = { workspace_id: workspaceId, copy_id: copyId, deleted_at: deletedAt };
    await this.#db
      .insertInto("copy_trash")
      .values({ handle, path, mode, oid, files, ...row })
      .execute();
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

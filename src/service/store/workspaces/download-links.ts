// Links by which a file is downloaded without a credential, in SQL.

import type { Kysely } from "kysely";
import type { DownloadLinkStore } from "../../core/ports/store/workspaces/download-links.ts";
import type { DownloadLink } from "../../core/workspaces/files/copy-entry.ts";
import type { Connection } from "../connection.ts";
import type { Database } from "../tables.ts";

const FORGOTTEN_AT_ONCE = 100;

export class SqlDownloadLinks implements DownloadLinkStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find({ hash, now }: { hash: string; now: number }): Promise<DownloadLink | null> {
    const row = await this.#db
      .selectFrom("download_links")
      .selectAll()
      .where("hash", "=", hash)
      .where("expires_at", ">", now)
      .executeTakeFirst();
    if (row === undefined) return null;
    const { workspace_id: workspaceId, copy_id: copyId, path, oid, expires_at: expiresAt } = row;
    return { hash, workspaceId, copyId, path, oid, expiresAt };
  }

  async insert({ workspaceId, copyId, expiresAt, ...link }: DownloadLink, now: number): Promise<void> {
    await this.#db
      .deleteFrom("download_links")
      .where("hash", "in", (ended) =>
        ended
          .selectFrom("download_links")
          .select("hash")
          .where("expires_at", "<=", now)
          .orderBy("expires_at")
          .limit(FORGOTTEN_AT_ONCE),
      )
      .execute();
    await this.#db
      .insertInto("download_links")
      .values({ ...link, workspace_id: workspaceId, copy_id: copyId, expires_at: expiresAt })
      .execute();
  }
}

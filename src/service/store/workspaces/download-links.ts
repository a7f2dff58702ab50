// Links by which a file is downloaded without a credential, in SQL.

import type { Kysely } from "kysely";
import type { DownloadLink } from "../../core/workspaces/copies/copy-entry.ts";
import type { DownloadLinkStore } from "../../core/workspaces/files/store-port.ts";
import type { Connection } from "../connection.ts";
import { row, type TableOf } from "../row.ts";
import { integer, text } from "../row-columns.ts";
import type { Database } from "../tables.ts";

const FORGOTTEN_AT_ONCE = 100;

export const downloadLinkRow = row<DownloadLink>("download_links")({
  hash: text,
  workspaceId: text,
  copyId: text,
  path: text,
  oid: text,
  expiresAt: integer,
});

declare module "../tables.ts" {
  interface Database {
    download_links: TableOf<typeof downloadLinkRow>;
  }
}

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
    return row === undefined ? null : downloadLinkRow.read(row);
  }

  async insert(link: DownloadLink, now: number): Promise<void> {
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
    await this.#db.insertInto("download_links").values(downloadLinkRow.write(link)).execute();
  }
}

// Browsers in which somebody is signed in, in SQL.

import type { Kysely } from "kysely";
import type { WebSessionStore } from "../core/web-sessions/store-port.ts";
import { signInMethods, type WebSession } from "../core/web-sessions/web-session.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const webSessionRow = row<WebSession>("web_sessions")({
  hash: text,
  id: text,
  accountId: text,
  method: oneOf(signInMethods),
  userAgent: text,
  createdAt: integer,
  seenAt: integer,
  authenticatedAt: integer,
  expiresAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    web_sessions: TableOf<typeof webSessionRow>;
  }
}

export class SqlWebSessions implements WebSessionStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(hash: string): Promise<WebSession | null> {
    const row = await this.#db
      .selectFrom("web_sessions")
      .selectAll()
      .where("hash", "=", hash)
      .executeTakeFirst();
    return row === undefined ? null : webSessionRow.read(row);
  }

  async list({ accountId, now }: { accountId: string; now: number }): Promise<readonly WebSession[]> {
    const rows = await this.#db
      .selectFrom("web_sessions")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("expires_at", ">", now)
      .orderBy("id")
      .execute();
    return rows.map(webSessionRow.read);
  }

  async insert(session: WebSession): Promise<void> {
    await this.#db.insertInto("web_sessions").values(webSessionRow.write(session)).execute();
  }

  async see({ hash, seenAt, expiresAt }: { hash: string; seenAt: number; expiresAt: number }): Promise<void> {
    await this.#db
      .updateTable("web_sessions")
      .set({ seen_at: seenAt, expires_at: expiresAt })
      .where("hash", "=", hash)
      .execute();
  }

  async authenticate({ hash, now }: { hash: string; now: number }): Promise<void> {
    await this.#db
      .updateTable("web_sessions")
      .set({ authenticated_at: now })
      .where("hash", "=", hash)
      .execute();
  }

  async delete({ accountId, id }: { accountId: string; id: string }): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("web_sessions")
      .where("account_id", "=", accountId)
      .where("id", "=", id)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }

  async deleteAll({ accountId, kept }: { accountId: string; kept: string | null }): Promise<number> {
    const query = this.#db.deleteFrom("web_sessions").where("account_id", "=", accountId);
    const { numDeletedRows } = await (kept === null
      ? query
      : query.where("id", "<>", kept)
    ).executeTakeFirst();
    return Number(numDeletedRows);
  }
}

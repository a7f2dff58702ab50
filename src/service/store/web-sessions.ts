// Browsers in which somebody is signed in, in SQL.

import type { Kysely, Selectable } from "kysely";
import type { WebSessionStore } from "../core/ports/store/web-sessions.ts";
import { signInMethods, type WebSession } from "../core/web-sessions/web-session.ts";
import { oneOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { Database, WebSessionsTable } from "./tables.ts";

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
    return row === undefined ? null : toSession(row);
  }

  async list({ accountId, now }: { accountId: string; now: number }): Promise<readonly WebSession[]> {
    const rows = await this.#db
      .selectFrom("web_sessions")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("expires_at", ">", now)
      .orderBy("id")
      .execute();
    return rows.map(toSession);
  }

  async insert(session: WebSession): Promise<void> {
    await this.#db
      .insertInto("web_sessions")
      .values({
        hash: session.hash,
        id: session.id,
        account_id: session.accountId,
        method: session.method,
        user_agent: session.userAgent,
        created_at: session.createdAt,
        seen_at: session.seenAt,
        authenticated_at: session.authenticatedAt,
        expires_at: session.expiresAt,
      })
      .execute();
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

function toSession(row: Selectable<WebSessionsTable>): WebSession {
  return {
    id: row.id,
    hash: row.hash,
    accountId: row.account_id,
    method: oneOf(signInMethods, row.method, "web_sessions.method"),
    userAgent: row.user_agent,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    authenticatedAt: row.authenticated_at,
    expiresAt: row.expires_at,
  };
}

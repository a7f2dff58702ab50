// Browsers in which somebody is signed in, in SQL.

import type { Kysely } from "kysely";
import { callerPerson } from "../core/accounts/caller.ts";
import type { WebSessionStore } from "../core/web-sessions/store-port.ts";
import { type StoredWebSession, signInMethods, type WebSession } from "../core/web-sessions/web-session.ts";
import type { Connection } from "./connection.ts";
import { membershipRow } from "./people.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const webSessionRow = row<StoredWebSession>("web_sessions")({
  hash: text,
  id: text,
  accountId: text,
  personId: text,
  method: oneOf(signInMethods),
  userAgent: text,
  createdAt: integer,
  seenAt: integer,
  authenticatedAt: integer,
  expiresAt: integer,
  endsAt: nullable(integer),
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
      .innerJoin("memberships", (join) =>
        join
          .onRef("memberships.account_id", "=", "web_sessions.account_id")
          .onRef("memberships.person_id", "=", "web_sessions.person_id"),
      )
      .innerJoin("people", "people.id", "memberships.person_id")
      .innerJoin("accounts", "accounts.id", "memberships.account_id")
      .selectAll("web_sessions")
      .select(["memberships.role", "memberships.day_cap_micro_usd"])
      .select(["people.name as person_name", "accounts.name as account_name"])
      .where("hash", "=", hash)
      .executeTakeFirst();
    if (row === undefined) return null;
    const person = callerPerson({ name: row.person_name, dayCapMicroUsd: row.day_cap_micro_usd });
    const role = membershipRow.readField("role", row.role);
    return { ...webSessionRow.read(row), role, person, accountName: row.account_name };
  }

  async list({ personId, now }: { personId: string; now: number }): Promise<readonly StoredWebSession[]> {
    const rows = await this.#db
      .selectFrom("web_sessions")
      .selectAll()
      .where("person_id", "=", personId)
      .where("expires_at", ">", now)
      .orderBy("id")
      .execute();
    return rows.map(webSessionRow.read);
  }

  async isSignedIn({ accountId, now }: { accountId: string; now: number }): Promise<boolean> {
    const row = await this.#db
      .selectFrom("web_sessions")
      .select("id")
      .where("account_id", "=", accountId)
      .where("expires_at", ">", now)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async insert(session: StoredWebSession): Promise<void> {
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

  async deleteOf({ accountId, personId }: { accountId: string; personId: string }): Promise<void> {
    await this.#db
      .deleteFrom("web_sessions")
      .where("account_id", "=", accountId)
      .where("person_id", "=", personId)
      .execute();
  }

  async delete({ personId, id }: { personId: string; id: string }): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("web_sessions")
      .where("person_id", "=", personId)
      .where("id", "=", id)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }

  async deleteAll({ personId, kept }: { personId: string; kept: string | null }): Promise<number> {
    const query = this.#db.deleteFrom("web_sessions").where("person_id", "=", personId);
    const { numDeletedRows } = await (kept === null
      ? query
      : query.where("id", "<>", kept)
    ).executeTakeFirst();
    return Number(numDeletedRows);
  }
}

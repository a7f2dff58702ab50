// Grants of owners to applications, in SQL.

import type { Kysely } from "kysely";
import type { OAuthGrant } from "../core/oauth/grant.ts";
import type { OAuthGrantStore } from "../core/oauth/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const oauthGrantRow = row<OAuthGrant>("oauth_grants")({
  id: text,
  accountId: text,
  personId: nullable(text),
  clientId: text,
  clientName: text,
  scope: text,
  resource: text,
  createdAt: integer,
  expiresAt: integer,
  lastUsedAt: nullable(integer),
  revokedAt: nullable(integer),
});

declare module "./tables.ts" {
  interface Database {
    oauth_grants: TableOf<typeof oauthGrantRow>;
  }
}

export class SqlOAuthGrants implements OAuthGrantStore {
  readonly #db: Kysely<Database>;
  readonly #hasRowLocks: boolean;

  constructor({ db, hasRowLocks }: Connection) {
    this.#db = db;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<OAuthGrant | null> {
    const row = await this.#byId(id).executeTakeFirst();
    return row === undefined ? null : oauthGrantRow.read(row);
  }

  async lock(id: string): Promise<OAuthGrant | null> {
    const query = this.#byId(id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : oauthGrantRow.read(row);
  }

  async list({ accountId, now }: { accountId: string; now: number }): Promise<readonly OAuthGrant[]> {
    const rows = await this.#db
      .selectFrom("oauth_grants")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("revoked_at", "is", null)
      .where("expires_at", ">", now)
      .orderBy("id", "desc")
      .execute();
    return rows.map(oauthGrantRow.read);
  }

  async insert(grant: OAuthGrant): Promise<void> {
    await this.#db.insertInto("oauth_grants").values(oauthGrantRow.write(grant)).execute();
  }

  async revoke({ id, now }: { id: string; now: number }): Promise<void> {
    await this.#db
      .updateTable("oauth_grants")
      .set({ revoked_at: now })
      .where("id", "=", id)
      .where("revoked_at", "is", null)
      .execute();
  }

  async touch({ id, now }: { id: string; now: number }): Promise<void> {
    await this.#db.updateTable("oauth_grants").set({ last_used_at: now }).where("id", "=", id).execute();
  }

  #byId(id: string) {
    return this.#db.selectFrom("oauth_grants").selectAll().where("id", "=", id);
  }
}

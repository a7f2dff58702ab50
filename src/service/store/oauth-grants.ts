// What owners have allowed applications, in SQL.

import type { Kysely, Selectable } from "kysely";
import type { OAuthGrant } from "../core/oauth/grant.ts";
import type { OAuthGrantStore } from "../core/ports/store/oauth.ts";
import type { Connection } from "./connection.ts";
import type { Database, OAuthGrantsTable } from "./tables.ts";

export class SqlOAuthGrants implements OAuthGrantStore {
  readonly #db: Kysely<Database>;
  readonly #hasRowLocks: boolean;

  constructor({ db, hasRowLocks }: Connection) {
    this.#db = db;
    this.#hasRowLocks = hasRowLocks;
  }

  async find(id: string): Promise<OAuthGrant | null> {
    const row = await this.#byId(id).executeTakeFirst();
    return row === undefined ? null : toGrant(row);
  }

  async lock(id: string): Promise<OAuthGrant | null> {
    const query = this.#byId(id);
    const row = await (this.#hasRowLocks ? query.forUpdate() : query).executeTakeFirst();
    return row === undefined ? null : toGrant(row);
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
    return rows.map(toGrant);
  }

  async insert(grant: OAuthGrant): Promise<void> {
    await this.#db
      .insertInto("oauth_grants")
      .values({
        id: grant.id,
        account_id: grant.accountId,
        client_id: grant.clientId,
        client_name: grant.clientName,
        scope: grant.scope,
        resource: grant.resource,
        created_at: grant.createdAt,
        expires_at: grant.expiresAt,
        last_used_at: grant.lastUsedAt,
        revoked_at: grant.revokedAt,
      })
      .execute();
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

function toGrant(row: Selectable<OAuthGrantsTable>): OAuthGrant {
  return {
    id: row.id,
    accountId: row.account_id,
    clientId: row.client_id,
    clientName: row.client_name,
    scope: row.scope,
    resource: row.resource,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

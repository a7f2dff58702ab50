// Keys of accounts in SQL.

import type { Kysely, Selectable } from "kysely";
import { type ApiKey, callerClasses } from "../core/accounts/api-key.ts";
import type { ApiKeyStore } from "../core/ports/store/api-keys.ts";
import { oneOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type Ask, keepQuery } from "./kept-query.ts";
import type { ApiKeysTable, Database } from "./tables.ts";

export class SqlApiKeys implements ApiKeyStore {
  readonly #db: Kysely<Database>;
  readonly #ask: Ask;

  constructor({ db, ask }: Connection) {
    this.#db = db;
    this.#ask = ask;
  }

  async find(hash: string): Promise<ApiKey | null> {
    const [row] = await this.#ask(keyOfHash, { hash });
    return row === undefined ? null : toApiKey(row);
  }

  async list(accountId: string | null): Promise<readonly ApiKey[]> {
    const query = this.#db.selectFrom("api_keys").selectAll().orderBy("id");
    const rows = await (accountId === null ? query : query.where("account_id", "=", accountId)).execute();
    return rows.map(toApiKey);
  }

  async insert(key: ApiKey): Promise<void> {
    await this.#db
      .insertInto("api_keys")
      .values({
        hash: key.hash,
        id: key.id,
        account_id: key.accountId,
        caller_class: key.callerClass,
        name: key.name,
        hint: key.hint,
        created_at: key.createdAt,
        last_used_at: key.lastUsedAt,
        revoked_at: key.revokedAt,
      })
      .execute();
  }

  async revoke({ id, now }: { id: string; now: number }): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("api_keys")
      .set({ revoked_at: now })
      .where("id", "=", id)
      .where("revoked_at", "is", null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async touch({ hash, now }: { hash: string; now: number }): Promise<void> {
    await this.#db.updateTable("api_keys").set({ last_used_at: now }).where("hash", "=", hash).execute();
  }
}

const keyOfHash = keepQuery<{ hash: string }>("hash")((db, { hash }) =>
  db.selectFrom("api_keys").selectAll().where("hash", "=", hash),
);

function toApiKey(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: row.id,
    hash: row.hash,
    accountId: row.account_id,
    callerClass: oneOf(callerClasses, row.caller_class, "api_keys.caller_class"),
    name: row.name,
    hint: row.hint,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

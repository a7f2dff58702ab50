// Idempotency keys of requests that make no run, in SQL: one use of a key in its scope at a time.

import type { Kysely } from "kysely";
import type { RequestKey, RequestKeyStore, RequestKeyUse } from "../core/ports/store/request-keys.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./tables.ts";

export class SqlRequestKeys implements RequestKeyStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find({ scope, key, now }: RequestKey & { now: number }): Promise<RequestKeyUse | null> {
    const row = await this.#db
      .selectFrom("request_keys")
      .select(["request_hash", "subject_id"])
      .where("scope", "=", scope)
      .where("key", "=", key)
      .where("expires_at", ">", now)
      .executeTakeFirst();
    return row === undefined ? null : { requestHash: row.request_hash, subjectId: row.subject_id };
  }

  async insert(use: RequestKey & RequestKeyUse & { now: number; expiresAt: number }): Promise<boolean> {
    const { scope, key, now, requestHash, subjectId, expiresAt } = use;
    const values = { request_hash: requestHash, subject_id: subjectId, expires_at: expiresAt };
    const rows = await this.#db
      .insertInto("request_keys")
      .values({ scope, key, ...values })
      .onConflict((conflict) =>
        conflict.columns(["scope", "key"]).doUpdateSet(values).where("request_keys.expires_at", "<=", now),
      )
      .returning("key")
      .execute();
    return rows.length === 1;
  }
}

// Idempotency keys of requests that make no run, in SQL: one use of a key in its scope at a time.

import type { Kysely } from "kysely";
import type { RequestKey, RequestKeyStore, RequestKeyUse } from "../core/idempotency/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const requestKeyRow = row<RequestKeyUse>("request_keys")(
  { requestHash: text, subjectId: text },
  { scope: text, key: text, expiresAt: integer },
);

declare module "./tables.ts" {
  interface Database {
    request_keys: TableOf<typeof requestKeyRow>;
  }
}

export class SqlRequestKeys implements RequestKeyStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find({ scope, key, now }: RequestKey & { now: number }): Promise<RequestKeyUse | null> {
    const row = await this.#db
      .selectFrom("request_keys")
      .selectAll()
      .where("scope", "=", scope)
      .where("key", "=", key)
      .where("expires_at", ">", now)
      .executeTakeFirst();
    return row === undefined ? null : requestKeyRow.read(row);
  }

  async insert(use: RequestKey & RequestKeyUse & { now: number; expiresAt: number }): Promise<boolean> {
    const { scope, key, now, expiresAt, ...first } = use;
    const rows = await this.#db
      .insertInto("request_keys")
      .values(requestKeyRow.write(first, { scope, key, expiresAt }))
      .onConflict((conflict) =>
        conflict
          .columns(["scope", "key"])
          .doUpdateSet(requestKeyRow.replacing("scope", "key"))
          .where("request_keys.expires_at", "<=", now),
      )
      .returning("key")
      .execute();
    return rows.length === 1;
  }
}

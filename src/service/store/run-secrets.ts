// Sealed secrets of runs in SQL.

import type { Kysely } from "kysely";
import type { RunSecret, RunSecretStore } from "../core/ports/store/run-secrets.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./tables.ts";

/**
 * For the embedded store: on its writing connection this table stands in front of the one that migrations make, and is in
 * memory, as `temp_store` says. It is gone with the process.
 */
export const RUN_SECRETS_IN_MEMORY =
  "create temp table run_secrets (run_id text primary key, sealed text not null, expires_at integer not null)";

export class SqlRunSecrets implements RunSecretStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(runId: string): Promise<RunSecret | null> {
    const row = await this.#db
      .selectFrom("run_secrets")
      .selectAll()
      .where("run_id", "=", runId)
      .executeTakeFirst();
    return row === undefined ? null : { runId, sealed: row.sealed, expiresAt: row.expires_at };
  }

  async keep({ runId, sealed, expiresAt }: RunSecret): Promise<void> {
    const kept = { sealed, expires_at: expiresAt };
    await this.#db
      .insertInto("run_secrets")
      .values({ run_id: runId, ...kept })
      .onConflict((conflict) =>
        conflict.column("run_id").doUpdateSet(kept).where("run_secrets.expires_at", "<=", expiresAt),
      )
      .execute();
  }

  async delete(runId: string): Promise<void> {
    await this.#db.deleteFrom("run_secrets").where("run_id", "=", runId).execute();
  }
}

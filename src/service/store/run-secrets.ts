// Sealed secrets of runs in SQL.

import type { Kysely } from "kysely";
import { type RunSecret, type RunSecretStore, serverSecretsOf } from "../core/model-access/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

/**
 * For an embedded store whose sealing key is its process's: on its writing connection this table stands in front of the one that
 * migrations make, and is in memory, as `temp_store` says. It is gone with the process. Nobody reads any more what an earlier process
 * has sealed with a key of its operator.
 */
export const RUN_SECRETS_IN_MEMORY =
  "delete from main.run_secrets; create temp table run_secrets (run_id text primary key, sealed text not null, expires_at integer not null)";

/** Values that a run may use and nothing may show, sealed. */
export const secretRow = row<RunSecret>("run_secrets")({ runId: text, sealed: text, expiresAt: integer });

declare module "./tables.ts" {
  interface Database {
    run_secrets: TableOf<typeof secretRow>;
  }
}

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
    return row === undefined ? null : secretRow.read(row);
  }

  async keep(secret: RunSecret): Promise<void> {
    await this.#db
      .insertInto("run_secrets")
      .values(secretRow.write(secret))
      .onConflict((conflict) =>
        conflict
          .column("run_id")
          .doUpdateSet(secretRow.replacing("run_id"))
          .where("run_secrets.expires_at", "<=", secret.expiresAt),
      )
      .execute();
  }

  async delete(runId: string): Promise<void> {
    await this.#db
      .deleteFrom("run_secrets")
      .where("run_id", "in", [runId, serverSecretsOf(runId)])
      .execute();
  }
}

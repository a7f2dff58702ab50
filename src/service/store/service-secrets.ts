// Secrets of the service itself in SQL: every node reads the same.

import type { Kysely } from "kysely";
import type { SecretStore } from "../core/ports/service-secrets.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

type ServiceSecret = { readonly name: string; readonly value: string; readonly createdAt: number };

export const serviceSecretRow = row<ServiceSecret>("service_secrets")({
  name: text,
  value: text,
  createdAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    service_secrets: TableOf<typeof serviceSecretRow>;
  }
}

export class SqlServiceSecrets implements SecretStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(name: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom("service_secrets")
      .select("value")
      .where("name", "=", name)
      .executeTakeFirst();
    return row?.value ?? null;
  }

  async keep({ name, value, now }: { name: string; value: string; now: number }): Promise<void> {
    await this.#db
      .insertInto("service_secrets")
      .values(serviceSecretRow.write({ name, value, createdAt: now }))
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute();
  }
}

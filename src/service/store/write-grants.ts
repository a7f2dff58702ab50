// Write grants in SQL.

import type { Kysely } from "kysely";
import type { WriteGrantStore } from "../core/write-grants/store-port.ts";
import type { WriteGrant } from "../core/write-grants/write-grant.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const grantRow = row<WriteGrant>("write_grants")(
  { server: text, grantedAt: integer },
  { agentId: text },
);

declare module "./tables.ts" {
  interface Database {
    write_grants: TableOf<typeof grantRow>;
  }
}

export class SqlWriteGrants implements WriteGrantStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async list(agentId: string): Promise<readonly WriteGrant[]> {
    const rows = await this.#db
      .selectFrom("write_grants")
      .selectAll()
      .where("agent_id", "=", agentId)
      .orderBy("server")
      .execute();
    return rows.map(grantRow.read);
  }

  async put(agentId: string, grant: WriteGrant): Promise<void> {
    await this.#db
      .insertInto("write_grants")
      .values(grantRow.write(grant, { agentId }))
      .onConflict((conflict) => conflict.columns(["agent_id", "server"]).doNothing())
      .execute();
  }

  async delete({ agentId, server }: { agentId: string; server: string }): Promise<void> {
    await this.#db
      .deleteFrom("write_grants")
      .where("agent_id", "=", agentId)
      .where("server", "=", server)
      .execute();
  }

  async deleteAll(agentId: string): Promise<void> {
    await this.#db.deleteFrom("write_grants").where("agent_id", "=", agentId).execute();
  }
}

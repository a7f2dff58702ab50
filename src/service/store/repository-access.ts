// Accesses to agents' repositories in SQL.

import type { Kysely } from "kysely";
import { chosenAccessKinds } from "../../contract/repository-access.ts";
import type { RepositoryAccessStore } from "../core/repository-access/store-port.ts";
import type { StoredAccess } from "../core/repository-access/stored-access.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

/** Of a deploy key both halves are there, the private one sealed. */
type AccessRecord = Pick<StoredAccess, "agentId" | "kind" | "createdAt"> & {
  readonly publicKey: string | null;
  readonly sealed: string | null;
};

export const accessRow = row<AccessRecord>("repository_accesses")({
  agentId: text,
  kind: oneOf(chosenAccessKinds),
  publicKey: nullable(text),
  sealed: nullable(text),
  createdAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    repository_accesses: TableOf<typeof accessRow>;
  }
}

export class SqlRepositoryAccess implements RepositoryAccessStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(agentId: string): Promise<StoredAccess | null> {
    const row = await this.#db
      .selectFrom("repository_accesses")
      .selectAll()
      .where("agent_id", "=", agentId)
      .executeTakeFirst();
    return row === undefined ? null : toAccess(row);
  }

  async listSealedBy(keyId: string): Promise<readonly StoredAccess[]> {
    const rows = await this.#db
      .selectFrom("repository_accesses")
      .selectAll()
      .where("sealed", "like", `v1.${keyId}.%`)
      .execute();
    return rows.map(toAccess);
  }

  async put(access: StoredAccess): Promise<void> {
    const { publicKey = null, sealed = null } = access.kind === "deploy_key" ? access : {};
    const { agentId, kind, createdAt } = access;
    await this.#db
      .insertInto("repository_accesses")
      .values(accessRow.write({ agentId, kind, publicKey, sealed, createdAt }))
      .onConflict((conflict) => conflict.column("agent_id").doUpdateSet(accessRow.replacing("agent_id")))
      .execute();
  }

  async delete(agentId: string): Promise<void> {
    await this.#db.deleteFrom("repository_accesses").where("agent_id", "=", agentId).execute();
  }
}

function toAccess(found: TableOf<typeof accessRow>): StoredAccess {
  const { agentId, kind, publicKey, sealed, createdAt } = accessRow.read(found);
  if (kind === "github_app") return { agentId, createdAt, kind };
  if (publicKey === null || sealed === null) throw new TypeError("A deploy key has both of its halves.");
  return { agentId, createdAt, kind, publicKey, sealed };
}

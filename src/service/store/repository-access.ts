// Accesses to agents' repositories in SQL.

import type { Kysely, Selectable } from "kysely";
import { chosenAccessKinds } from "../../contract/repository-access/repository-access.ts";
import type { RepositoryAccessStore } from "../core/ports/store/repository-access.ts";
import type { StoredAccess } from "../core/repository-access/stored-access.ts";
import { oneOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { Database, RepositoryAccessesTable } from "./tables.ts";

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
    const key =
      access.kind === "deploy_key"
        ? { public_key: access.publicKey, sealed: access.sealed }
        : { public_key: null, sealed: null };
    const chosen = { kind: access.kind, created_at: access.createdAt, ...key };
    await this.#db
      .insertInto("repository_accesses")
      .values({ agent_id: access.agentId, ...chosen })
      .onConflict((conflict) => conflict.column("agent_id").doUpdateSet(chosen))
      .execute();
  }

  async delete(agentId: string): Promise<void> {
    await this.#db.deleteFrom("repository_accesses").where("agent_id", "=", agentId).execute();
  }
}

function toAccess(row: Selectable<RepositoryAccessesTable>): StoredAccess {
  const { agent_id: agentId, created_at: createdAt, public_key: publicKey, sealed } = row;
  const kind = oneOf(chosenAccessKinds, row.kind, "kind");
  if (kind === "github_app") return { agentId, createdAt, kind };
  if (publicKey === null || sealed === null) throw new TypeError("A deploy key has both of its halves.");
  return { agentId, createdAt, kind, publicKey, sealed };
}

// Keys that sign the ID tokens of runs, and the audiences of agents, in SQL.

import type { Kysely } from "kysely";
import type { AudienceGrant } from "../core/run-identity/audience-grant.ts";
import type { IdentityKey } from "../core/run-identity/identity-key.ts";
import type { RunIdentityStore } from "../core/run-identity/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { flag, integer, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const identityKeyRow = row<IdentityKey>("identity_keys")({
  sequence: integer,
  kid: text,
  publicJwk: text,
  sealed: text,
  startsAt: integer,
});

export const audienceRow = row<AudienceGrant>("audience_grants")(
  { audience: text, allowsUntrusted: flag, grantedAt: integer },
  { agentId: text },
);

declare module "./tables.ts" {
  interface Database {
    identity_keys: TableOf<typeof identityKeyRow>;
    audience_grants: TableOf<typeof audienceRow>;
  }
}

export class SqlRunIdentity implements RunIdentityStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async listKeys(): Promise<readonly IdentityKey[]> {
    const rows = await this.#db.selectFrom("identity_keys").selectAll().orderBy("sequence").execute();
    return rows.map(identityKeyRow.read);
  }

  async putKey(key: IdentityKey): Promise<void> {
    await this.#db
      .insertInto("identity_keys")
      .values(identityKeyRow.write(key))
      .onConflict((conflict) => conflict.column("sequence").doNothing())
      .execute();
  }

  async deleteKeysBelow(sequence: number): Promise<void> {
    await this.#db.deleteFrom("identity_keys").where("sequence", "<", sequence).execute();
  }

  async listAudiences(agentId: string): Promise<readonly AudienceGrant[]> {
    const rows = await this.#db
      .selectFrom("audience_grants")
      .selectAll()
      .where("agent_id", "=", agentId)
      .orderBy("audience")
      .execute();
    return rows.map(audienceRow.read);
  }

  async setAudiences(agentId: string, grants: readonly AudienceGrant[]): Promise<void> {
    await this.#db.deleteFrom("audience_grants").where("agent_id", "=", agentId).execute();
    if (grants.length === 0) return;
    const rows = grants.map((grant) => audienceRow.write(grant, { agentId }));
    await this.#db.insertInto("audience_grants").values(rows).execute();
  }
}

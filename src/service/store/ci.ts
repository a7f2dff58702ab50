// What the token exchange leaves behind, in SQL: capabilities and used tokens.

import type { Kysely, Selectable } from "kysely";
import type { Capability } from "../core/ci/capability.ts";
import type { CiStore } from "../core/ports/store/ci.ts";
import { parseJob } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type Ask, keepQuery } from "./kept-query.ts";
import type { CapabilitiesTable, Database } from "./tables.ts";

export class SqlCi implements CiStore {
  readonly #db: Kysely<Database>;
  readonly #ask: Ask;

  constructor({ db, ask }: Connection) {
    this.#db = db;
    this.#ask = ask;
  }

  async findCapability(hash: string): Promise<Capability | null> {
    const [row] = await this.#ask(capabilityOfHash, { hash });
    return row === undefined ? null : toCapability(row);
  }

  async insertCapability(capability: Capability): Promise<void> {
    await this.#db
      .insertInto("capabilities")
      .values({
        hash: capability.hash,
        agent_id: capability.agentId,
        job: JSON.stringify(capability.job),
        issued_at: capability.issuedAt,
        expires_at: capability.expiresAt,
        revoked_at: capability.revokedAt,
      })
      .execute();
  }

  async revokeCapability({ hash, now }: { hash: string; now: number }): Promise<void> {
    await this.#db
      .updateTable("capabilities")
      .set({ revoked_at: now })
      .where("hash", "=", hash)
      .where("revoked_at", "is", null)
      .execute();
  }

  async claimToken({
    issuer,
    replayKey,
    usableUntil,
  }: {
    issuer: string;
    replayKey: string;
    usableUntil: number;
  }): Promise<boolean> {
    const rows = await this.#db
      .insertInto("token_uses")
      .values({ issuer, replay_key: replayKey, usable_until: usableUntil })
      .onConflict((conflict) => conflict.columns(["issuer", "replay_key"]).doNothing())
      .returning("issuer")
      .execute();
    return rows.length === 1;
  }
}

const capabilityOfHash = keepQuery<{ hash: string }>("hash")((db, { hash }) =>
  db.selectFrom("capabilities").selectAll().where("hash", "=", hash),
);

export function toCapability(row: Selectable<CapabilitiesTable>): Capability {
  return {
    hash: row.hash,
    agentId: row.agent_id,
    job: parseJob(row.job),
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

// Records of the token exchange, in SQL: capabilities and used tokens.

import type { Kysely } from "kysely";
import type { Capability } from "../core/ci-jobs/capability.ts";
import type { CiStore } from "../core/ci-jobs/store-port.ts";
import { parseJob } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { row, type TableOf } from "./row.ts";
import { integer, json, nullable, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const capabilityRow = row<Capability>("capabilities")({
  hash: text,
  agentId: text,
  job: json(parseJob),
  issuedAt: integer,
  expiresAt: integer,
  revokedAt: nullable(integer),
});

type TokenUse = { readonly issuer: string; readonly replayKey: string; readonly usableUntil: number };

export const tokenUseRow = row<TokenUse>("token_uses")({
  issuer: text,
  replayKey: text,
  usableUntil: integer,
});

declare module "./tables.ts" {
  interface Database {
    capabilities: TableOf<typeof capabilityRow>;
    token_uses: TableOf<typeof tokenUseRow>;
  }
}

export class SqlCi implements CiStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;

  constructor({ db, ask }: Connection) {
    this.#db = db;
    this.#ask = ask;
  }

  async findCapability(hash: string): Promise<Capability | null> {
    const [row] = await this.#ask(capabilityOfHash, { hash });
    return row === undefined ? null : capabilityRow.read(row);
  }

  async insertCapability(capability: Capability): Promise<void> {
    await this.#db.insertInto("capabilities").values(capabilityRow.write(capability)).execute();
  }

  async revokeCapability({ hash, now }: { hash: string; now: number }): Promise<void> {
    await this.#db
      .updateTable("capabilities")
      .set({ revoked_at: now })
      .where("hash", "=", hash)
      .where("revoked_at", "is", null)
      .execute();
  }

  async claimToken(use: TokenUse): Promise<boolean> {
    const rows = await this.#db
      .insertInto("token_uses")
      .values(tokenUseRow.write(use))
      .onConflict((conflict) => conflict.columns(["issuer", "replay_key"]).doNothing())
      .returning("issuer")
      .execute();
    return rows.length === 1;
  }
}

const capabilityOfHash = keepQuery<{ hash: string }>("hash")((db, { hash }) =>
  db.selectFrom("capabilities").selectAll().where("hash", "=", hash),
);

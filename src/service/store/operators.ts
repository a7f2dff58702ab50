// Operators, their links and sessions, in SQL.

import type { Kysely } from "kysely";
import type { Operator, OperatorLink, OperatorSession } from "../core/operators/operator.ts";
import type { OperatorStore } from "../core/operators/store-port.ts";
import { parseNames } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { flag, integer, json, nullable, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const operatorRow = row<Operator>("operators")({
  id: text,
  name: text,
  credentialId: text,
  publicKey: text,
  counter: integer,
  transports: json(parseNames),
  isBackedUp: flag,
  createdAt: integer,
  lastUsedAt: nullable(integer),
});

export const operatorLinkRow = row<OperatorLink>("operator_links")({
  hash: text,
  createdAt: integer,
  expiresAt: integer,
  usedAt: nullable(integer),
});

export const operatorSessionRow = row<OperatorSession>("operator_sessions")({
  hash: text,
  id: text,
  operatorId: nullable(text),
  issuer: nullable(text),
  subject: nullable(text),
  name: text,
  createdAt: integer,
  expiresAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    operators: TableOf<typeof operatorRow>;
    operator_links: TableOf<typeof operatorLinkRow>;
    operator_sessions: TableOf<typeof operatorSessionRow>;
  }
}

export class SqlOperators implements OperatorStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async list(): Promise<readonly Operator[]> {
    const rows = await this.#db
      .selectFrom("operators")
      .selectAll()
      .orderBy("created_at")
      .orderBy("id")
      .execute();
    return rows.map(operatorRow.read);
  }

  async hasAny(): Promise<boolean> {
    const row = await this.#db.selectFrom("operators").select("id").limit(1).executeTakeFirst();
    return row !== undefined;
  }

  async findByCredential(credentialId: string): Promise<Operator | null> {
    const row = await this.#db
      .selectFrom("operators")
      .selectAll()
      .where("credential_id", "=", credentialId)
      .executeTakeFirst();
    return row === undefined ? null : operatorRow.read(row);
  }

  async insert(operator: Operator): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto("operators")
      .values(operatorRow.write(operator))
      .onConflict((conflict) => conflict.column("credential_id").doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  async use(use: { id: string; counter: number; isBackedUp: boolean; now: number }): Promise<boolean> {
    const { id, counter, isBackedUp, now } = use;
    const { numUpdatedRows } = await this.#db
      .updateTable("operators")
      .set(operatorRow.change({ counter, isBackedUp, lastUsedAt: now }))
      .where("id", "=", id)
      // As of people's passkeys: one that counts goes up with every signature.
      .where("counter", counter === 0 ? "=" : "<", counter)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async remove(id: string): Promise<Operator | null> {
    await this.#db.deleteFrom("operator_sessions").where("operator_id", "=", id).execute();
    const row = await this.#db.deleteFrom("operators").where("id", "=", id).returningAll().executeTakeFirst();
    return row === undefined ? null : operatorRow.read(row);
  }

  async findLink(hash: string): Promise<OperatorLink | null> {
    const row = await this.#db
      .selectFrom("operator_links")
      .selectAll()
      .where("hash", "=", hash)
      .executeTakeFirst();
    return row === undefined ? null : operatorLinkRow.read(row);
  }

  async insertLink(link: OperatorLink): Promise<void> {
    await this.#db.insertInto("operator_links").values(operatorLinkRow.write(link)).execute();
  }

  async useLink({ hash, now }: { hash: string; now: number }): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("operator_links")
      .set(operatorLinkRow.change({ usedAt: now }))
      .where("hash", "=", hash)
      .where("used_at", "is", null)
      .where("expires_at", ">", now)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async findSession(hash: string): Promise<OperatorSession | null> {
    const row = await this.#db
      .selectFrom("operator_sessions")
      .leftJoin("operators", "operators.id", "operator_sessions.operator_id")
      .selectAll("operator_sessions")
      .where("hash", "=", hash)
      .where((where) => where.or([where("operator_id", "is", null), where("operators.id", "is not", null)]))
      .executeTakeFirst();
    return row === undefined ? null : operatorSessionRow.read(row);
  }

  async insertSession(session: OperatorSession): Promise<void> {
    await this.#db.insertInto("operator_sessions").values(operatorSessionRow.write(session)).execute();
  }

  async deleteSession(id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("operator_sessions")
      .where("id", "=", id)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }
}

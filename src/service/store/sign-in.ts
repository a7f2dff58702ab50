// One-time links and unfinished flows of people who sign in, in SQL.

import type { Kysely } from "kysely";
import { attemptKinds, type SignInAttempt } from "../core/sign-in/attempt.ts";
import type { SignInLink } from "../core/sign-in/sign-in-link.ts";
import type { SignInStore } from "../core/sign-in/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const linkRow = row<SignInLink>("sign_in_links")({
  hash: text,
  accountId: nullable(text),
  personId: nullable(text),
  createdAt: integer,
  expiresAt: integer,
  usedAt: nullable(integer),
});

export const attemptRow = row<SignInAttempt>("sign_in_attempts")({
  hash: text,
  kind: oneOf(attemptKinds),
  state: text,
  expiresAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    sign_in_links: TableOf<typeof linkRow>;
    sign_in_attempts: TableOf<typeof attemptRow>;
  }
}

export class SqlSignIn implements SignInStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async findLink(hash: string): Promise<SignInLink | null> {
    const row = await this.#db
      .selectFrom("sign_in_links")
      .selectAll()
      .where("hash", "=", hash)
      .executeTakeFirst();
    return row === undefined ? null : linkRow.read(row);
  }

  async insertLink(link: SignInLink): Promise<void> {
    await this.#db.insertInto("sign_in_links").values(linkRow.write(link)).execute();
  }

  async useLink({ hash, now }: { hash: string; now: number }): Promise<SignInLink | null> {
    const row = await this.#db
      .updateTable("sign_in_links")
      .set({ used_at: now })
      .where("hash", "=", hash)
      .where("used_at", "is", null)
      .where("expires_at", ">", now)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : linkRow.read(row);
  }

  async insertAttempt(attempt: SignInAttempt): Promise<void> {
    await this.#db.insertInto("sign_in_attempts").values(attemptRow.write(attempt)).execute();
  }

  async takeAttempt(hash: string): Promise<SignInAttempt | null> {
    const row = await this.#db
      .deleteFrom("sign_in_attempts")
      .where("hash", "=", hash)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : attemptRow.read(row);
  }
}

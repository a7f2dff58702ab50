// One-time links and unfinished flows of people who sign in, in SQL.

import type { Kysely, Selectable } from "kysely";
import type { SignInStore } from "../core/ports/store/sign-in.ts";
import { type Attempt, attemptKinds } from "../core/sign-in/attempt.ts";
import type { SignInLink } from "../core/sign-in/sign-in-link.ts";
import { oneOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { Database, SignInLinksTable } from "./tables.ts";

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
    return row === undefined ? null : toLink(row);
  }

  async insertLink({ hash, accountId, createdAt, expiresAt, usedAt }: SignInLink): Promise<void> {
    await this.#db
      .insertInto("sign_in_links")
      .values({
        hash,
        account_id: accountId,
        created_at: createdAt,
        expires_at: expiresAt,
        used_at: usedAt,
      })
      .execute();
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
    return row === undefined ? null : toLink(row);
  }

  async insertAttempt({ hash, kind, state, expiresAt }: Attempt): Promise<void> {
    await this.#db
      .insertInto("sign_in_attempts")
      .values({ hash, kind, state, expires_at: expiresAt })
      .execute();
  }

  async takeAttempt(hash: string): Promise<Attempt | null> {
    const row = await this.#db
      .deleteFrom("sign_in_attempts")
      .where("hash", "=", hash)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return null;
    const kind = oneOf(attemptKinds, row.kind, "sign_in_attempts.kind");
    return { hash, kind, state: row.state, expiresAt: row.expires_at };
  }
}

function toLink(row: Selectable<SignInLinksTable>): SignInLink {
  return {
    hash: row.hash,
    accountId: row.account_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
  };
}

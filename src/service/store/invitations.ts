// Invitations to accounts, in SQL.

import type { Kysely } from "kysely";
import { roles } from "../../contract/roles.ts";
import type { Invitation } from "../core/members/invitation.ts";
import type { InvitationStore } from "../core/members/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const invitationRow = row<Invitation>("invitations")({
  id: text,
  hash: text,
  accountId: text,
  role: oneOf(roles),
  invitedBy: text,
  createdAt: integer,
  expiresAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    invitations: TableOf<typeof invitationRow>;
  }
}

export class SqlInvitations implements InvitationStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find(hash: string): Promise<Invitation | null> {
    const row = await this.#db
      .selectFrom("invitations")
      .selectAll()
      .where("hash", "=", hash)
      .executeTakeFirst();
    return row === undefined ? null : invitationRow.read(row);
  }

  async list({ accountId, now }: { accountId: string; now: number }): Promise<readonly Invitation[]> {
    const rows = await this.#db
      .selectFrom("invitations")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("expires_at", ">", now)
      .orderBy("id")
      .execute();
    return rows.map(invitationRow.read);
  }

  async insert(invitation: Invitation): Promise<void> {
    await this.#db.insertInto("invitations").values(invitationRow.write(invitation)).execute();
  }

  async take({ hash, now }: { hash: string; now: number }): Promise<Invitation | null> {
    const row = await this.#db
      .deleteFrom("invitations")
      .where("hash", "=", hash)
      .where("expires_at", ">", now)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : invitationRow.read(row);
  }

  async delete({ accountId, id }: { accountId: string; id: string }): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("invitations")
      .where("account_id", "=", accountId)
      .where("id", "=", id)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }

  async deleteBy({ accountId, invitedBy }: { accountId: string; invitedBy: string }): Promise<void> {
    await this.#db
      .deleteFrom("invitations")
      .where("account_id", "=", accountId)
      .where("invited_by", "=", invitedBy)
      .execute();
  }
}

// Identities and passkeys of accounts, in SQL.

import type { Kysely, Selectable } from "kysely";
import * as z from "zod/mini";
import type { IdentityStore } from "../core/ports/store/identities.ts";
import { type Identity, identityKinds, type Passkey } from "../core/sign-in/identity.ts";
import { oneOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import type { Database, IdentitiesTable, PasskeysTable } from "./tables.ts";

const transportsSchema = z.array(z.string());

export class SqlIdentities implements IdentityStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find({ issuer, subject }: { issuer: string; subject: string }): Promise<Identity | null> {
    const row = await this.#db
      .selectFrom("identities")
      .selectAll()
      .where("issuer", "=", issuer)
      .where("subject", "=", subject)
      .executeTakeFirst();
    return row === undefined ? null : toIdentity(row);
  }

  async list(accountId: string): Promise<readonly Identity[]> {
    const rows = await this.#db
      .selectFrom("identities")
      .selectAll()
      .where("account_id", "=", accountId)
      .orderBy("id")
      .execute();
    return rows.map(toIdentity);
  }

  async insert(identity: Identity): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto("identities")
      .values({
        id: identity.id,
        account_id: identity.accountId,
        kind: identity.kind,
        issuer: identity.issuer,
        subject: identity.subject,
        name: identity.name,
        created_at: identity.createdAt,
        last_used_at: identity.lastUsedAt,
      })
      .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  async touch({ id, name, now }: { id: string; name: string; now: number }): Promise<void> {
    await this.#db.updateTable("identities").set({ name, last_used_at: now }).where("id", "=", id).execute();
  }

  async remove({ id, accountId }: { id: string; accountId: string }): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("identities")
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }

  async findPasskey(credentialId: string): Promise<Passkey | null> {
    const row = await this.#db
      .selectFrom("passkeys")
      .selectAll()
      .where("credential_id", "=", credentialId)
      .executeTakeFirst();
    return row === undefined ? null : toPasskey(row);
  }

  async listPasskeys(accountId: string): Promise<readonly Passkey[]> {
    const rows = await this.#db
      .selectFrom("passkeys")
      .selectAll()
      .where("account_id", "=", accountId)
      .orderBy("created_at")
      .orderBy("credential_id")
      .execute();
    return rows.map(toPasskey);
  }

  async insertPasskey(passkey: Passkey): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto("passkeys")
      .values({
        credential_id: passkey.credentialId,
        account_id: passkey.accountId,
        name: passkey.name,
        public_key: passkey.publicKey,
        counter: passkey.counter,
        transports: JSON.stringify(passkey.transports),
        is_backed_up: Number(passkey.isBackedUp),
        created_at: passkey.createdAt,
        last_used_at: passkey.lastUsedAt,
      })
      .onConflict((conflict) => conflict.column("credential_id").doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  async usePasskey(use: {
    credentialId: string;
    counter: number;
    isBackedUp: boolean;
    now: number;
  }): Promise<boolean> {
    const { credentialId, counter, isBackedUp, now } = use;
    const query = this.#db
      .updateTable("passkeys")
      .set({ counter, is_backed_up: Number(isBackedUp), last_used_at: now })
      .where("credential_id", "=", credentialId);
    // WebAuthn Level 3, 7.2: one that counts goes up with every signature.
    const counting = query.where("counter", counter === 0 ? "=" : "<", counter);
    const { numUpdatedRows } = await counting.executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async removePasskey(removal: { credentialId: string; accountId: string }): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("passkeys")
      .where("credential_id", "=", removal.credentialId)
      .where("account_id", "=", removal.accountId)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }
}

function toIdentity(row: Selectable<IdentitiesTable>): Identity {
  return {
    id: row.id,
    accountId: row.account_id,
    kind: oneOf(identityKinds, row.kind, "identities.kind"),
    issuer: row.issuer,
    subject: row.subject,
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

function toPasskey(row: Selectable<PasskeysTable>): Passkey {
  return {
    credentialId: row.credential_id,
    accountId: row.account_id,
    name: row.name,
    publicKey: row.public_key,
    counter: row.counter,
    transports: transportsSchema.parse(JSON.parse(row.transports)),
    isBackedUp: row.is_backed_up === 1,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

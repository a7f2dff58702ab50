// Identities and passkeys of people, in SQL.

import type { Kysely } from "kysely";
import { type Identity, identityKinds, type Passkey } from "../core/sign-in/identity.ts";
import type { IdentityStore } from "../core/sign-in/store-port.ts";
import { parseNames } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { flag, integer, json, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const identityRow = row<Identity>("identities")({
  id: text,
  personId: text,
  kind: oneOf(identityKinds),
  issuer: text,
  subject: text,
  name: text,
  createdAt: integer,
  lastUsedAt: nullable(integer),
});

export const passkeyRow = row<Passkey>("passkeys")({
  credentialId: text,
  personId: text,
  name: text,
  publicKey: text,
  counter: integer,
  transports: json(parseNames),
  isBackedUp: flag,
  createdAt: integer,
  lastUsedAt: nullable(integer),
});

declare module "./tables.ts" {
  interface Database {
    identities: TableOf<typeof identityRow>;
    passkeys: TableOf<typeof passkeyRow>;
  }
}

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
    return row === undefined ? null : identityRow.read(row);
  }

  async list(personId: string): Promise<readonly Identity[]> {
    const rows = await this.#db
      .selectFrom("identities")
      .selectAll()
      .where("person_id", "=", personId)
      .orderBy("id")
      .execute();
    return rows.map(identityRow.read);
  }

  async insert(identity: Identity): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto("identities")
      .values(identityRow.write(identity))
      .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  async touch({ id, name, now }: { id: string; name: string; now: number }): Promise<void> {
    await this.#db.updateTable("identities").set({ name, last_used_at: now }).where("id", "=", id).execute();
  }

  async remove({ id, personId }: { id: string; personId: string }): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("identities")
      .where("id", "=", id)
      .where("person_id", "=", personId)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }

  async findPasskey(credentialId: string): Promise<Passkey | null> {
    const row = await this.#db
      .selectFrom("passkeys")
      .selectAll()
      .where("credential_id", "=", credentialId)
      .executeTakeFirst();
    return row === undefined ? null : passkeyRow.read(row);
  }

  async listPasskeys(personId: string): Promise<readonly Passkey[]> {
    const rows = await this.#db
      .selectFrom("passkeys")
      .selectAll()
      .where("person_id", "=", personId)
      .orderBy("created_at")
      .orderBy("credential_id")
      .execute();
    return rows.map(passkeyRow.read);
  }

  async insertPasskey(passkey: Passkey): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto("passkeys")
      .values(passkeyRow.write(passkey))
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
      .set(passkeyRow.change({ counter, isBackedUp, lastUsedAt: now }))
      .where("credential_id", "=", credentialId);
    // WebAuthn Level 3, 7.2: one that counts goes up with every signature.
    const counting = query.where("counter", counter === 0 ? "=" : "<", counter);
    const { numUpdatedRows } = await counting.executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async removePasskey(removal: { credentialId: string; personId: string }): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("passkeys")
      .where("credential_id", "=", removal.credentialId)
      .where("person_id", "=", removal.personId)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }
}

// Keys and access tokens of accounts in SQL.

import type { Kysely } from "kysely";
import { type TokenScope, tokenScopes } from "../../contract/oauth/scopes.ts";
import { callerPerson } from "../core/accounts/caller.ts";
import type { ApiKey, CallerClass, Credential } from "../core/accounts/credential.ts";
import type { CredentialStore, HeldCredential, PersonsCredentials } from "../core/accounts/store-port.ts";
import type { Connection } from "./connection.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { membershipRow } from "./people.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

const kinds = ["owner_key", "ai_client_key", "access_token"] as const;
const keyKinds: Readonly<Record<CallerClass, (typeof kinds)[number]>> = {
  owner: "owner_key",
  ai_client: "ai_client_key",
};

/** A key, or an access token: that has neither name nor hint. */
type StoredCredential = Omit<ApiKey, "callerClass"> & {
  readonly kind: (typeof kinds)[number];
  readonly clientId: string | null;
  readonly scope: string | null;
  readonly resource: string | null;
  readonly grantId: string | null;
  readonly expiresAt: number | null;
};

const noToken = { clientId: null, scope: null, resource: null, grantId: null, expiresAt: null };

export const credentialRow = row<StoredCredential>("credentials")({
  hash: text,
  id: text,
  accountId: text,
  personId: nullable(text),
  kind: oneOf(kinds),
  name: text,
  hint: text,
  createdAt: integer,
  lastUsedAt: nullable(integer),
  revokedAt: nullable(integer),
  clientId: nullable(text),
  /** Separated by spaces. */
  scope: nullable(text),
  resource: nullable(text),
  grantId: nullable(text),
  expiresAt: nullable(integer),
});

declare module "./tables.ts" {
  interface Database {
    credentials: TableOf<typeof credentialRow>;
  }
}

export class SqlCredentials implements CredentialStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;

  constructor({ db, ask }: Connection) {
    this.#db = db;
    this.#ask = ask;
  }

  async find(hash: string): Promise<HeldCredential | null> {
    const [row] = await this.#ask(credentialOfHash, { hash });
    if (row === undefined) return null;
    const role = row.role === null ? null : membershipRow.readField("role", row.role);
    const person = callerPerson({ name: row.person_name, dayCapMicroUsd: row.day_cap_micro_usd });
    return { ...toCredential(credentialRow.read(row)), role, person };
  }

  async listKeys(accountId: string | null): Promise<readonly ApiKey[]> {
    const query = this.#db
      .selectFrom("credentials")
      .selectAll()
      .where("kind", "in", Object.values(keyKinds))
      .orderBy("id");
    const rows = await (accountId === null ? query : query.where("account_id", "=", accountId)).execute();
    return rows.map((row) => toKey(credentialRow.read(row)));
  }

  async insert(credential: Credential): Promise<void> {
    await this.#db
      .insertInto("credentials")
      .values(credentialRow.write(toStored(credential)))
      .execute();
  }

  async revokeKey({ id, now }: { id: string; now: number }): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("credentials")
      .set({ revoked_at: now })
      .where("id", "=", id)
      .where("kind", "in", Object.values(keyKinds))
      .where("revoked_at", "is", null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async revokeToken({ hash, now }: { hash: string; now: number }): Promise<void> {
    await this.#revokeTokens("hash", hash, now);
  }

  async revokeTokensOf({ grantId, now }: { grantId: string; now: number }): Promise<void> {
    await this.#revokeTokens("grant_id", grantId, now);
  }

  async #revokeTokens(column: "hash" | "grant_id", value: string, now: number): Promise<void> {
    await this.#db
      .updateTable("credentials")
      .set({ revoked_at: now })
      .where(column, "=", value)
      .where("kind", "=", "access_token")
      .where("revoked_at", "is", null)
      .execute();
  }

  async revokeOfPerson({
    accountId,
    personId,
    which,
    now,
  }: PersonsCredentials & { now: number }): Promise<void> {
    const query = this.#db
      .updateTable("credentials")
      .set({ revoked_at: now })
      .where("account_id", "=", accountId)
      .where("person_id", "=", personId)
      .where("revoked_at", "is", null);
    await (which === "all" ? query : query.where("kind", "=", "owner_key")).execute();
  }

  async giveKeys({ accountId, personId, which, to }: PersonsCredentials & { to: string }): Promise<void> {
    await this.#db
      .updateTable("credentials")
      .set({ person_id: to })
      .where("account_id", "=", accountId)
      .where("person_id", "=", personId)
      .where("kind", "in", which === "all" ? Object.values(keyKinds) : ["owner_key" as const])
      .where("revoked_at", "is", null)
      .execute();
  }

  async touch({ hash, now }: { hash: string; now: number }): Promise<void> {
    await this.#db.updateTable("credentials").set({ last_used_at: now }).where("hash", "=", hash).execute();
  }
}

const credentialOfHash = keepQuery<{ hash: string }>("hash")((db, { hash }) =>
  db
    .selectFrom("credentials")
    .leftJoin("memberships", (join) =>
      join
        .onRef("memberships.account_id", "=", "credentials.account_id")
        .onRef("memberships.person_id", "=", "credentials.person_id"),
    )
    .selectAll("credentials")
    .leftJoin("people", "people.id", "memberships.person_id")
    .select(["memberships.role", "memberships.day_cap_micro_usd", "people.name as person_name"])
    .where("hash", "=", hash),
);

function toStored(credential: Credential): StoredCredential {
  const { id, hash, accountId, personId, createdAt, lastUsedAt, revokedAt } = credential;
  const shared = { id, hash, accountId, personId, createdAt, lastUsedAt, revokedAt };
  switch (credential.kind) {
    case "key": {
      const { callerClass, name, hint } = credential;
      return { ...shared, kind: keyKinds[callerClass], name, hint, ...noToken };
    }
    case "access_token": {
      const { clientId, scopes, resource, grantId, expiresAt } = credential;
      const token = { clientId, scope: scopes.join(" "), resource, grantId, expiresAt };
      return { ...shared, kind: "access_token", name: "", hint: "", ...token };
    }
  }
}

function toCredential(stored: StoredCredential): Credential {
  if (stored.kind !== "access_token") return { kind: "key", ...toKey(stored) };
  const { id, hash, accountId, personId, createdAt, lastUsedAt, revokedAt, kind } = stored;
  const { clientId, scope, resource, grantId, expiresAt } = stored;
  if (clientId === null || resource === null || grantId === null || expiresAt === null) {
    throw new TypeError(`The access token ${id} lacks a column.`);
  }
  return {
    kind,
    id,
    hash,
    accountId,
    personId,
    createdAt,
    lastUsedAt,
    revokedAt,
    clientId,
    scopes: scopesOf(scope),
    resource,
    grantId,
    expiresAt,
  };
}

function toKey({ kind, id, hash, accountId, personId, name, hint, ...key }: StoredCredential): ApiKey {
  const callerClass = kind === "owner_key" ? "owner" : "ai_client";
  const { createdAt, lastUsedAt, revokedAt } = key;
  return { id, hash, accountId, personId, callerClass, name, hint, createdAt, lastUsedAt, revokedAt };
}

/** A scope that this version does not know is good for nothing. */
function scopesOf(scope: string | null): readonly TokenScope[] {
  const names = new Set(scope?.split(" "));
  return tokenScopes.filter((name) => names.has(name));
}

// Keys and access tokens of accounts in SQL.

import type { Kysely, Selectable } from "kysely";
import { type TokenScope, tokenScopes } from "../../contract/oauth/scopes.ts";
import type { ApiKey, CallerClass, Credential } from "../core/accounts/credential.ts";
import type { CredentialStore } from "../core/ports/store/credentials.ts";
import { oneOf } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { type Ask, keepQuery } from "./kept-query.ts";
import type { CredentialsTable, Database } from "./tables.ts";

const kinds = ["owner_key", "ai_client_key", "access_token"] as const;
const keyKinds: Readonly<Record<CallerClass, (typeof kinds)[number]>> = {
  owner: "owner_key",
  ai_client: "ai_client_key",
};

export class SqlCredentials implements CredentialStore {
  readonly #db: Kysely<Database>;
  readonly #ask: Ask;

  constructor({ db, ask }: Connection) {
    this.#db = db;
    this.#ask = ask;
  }

  async find(hash: string): Promise<Credential | null> {
    const [row] = await this.#ask(credentialOfHash, { hash });
    return row === undefined ? null : toCredential(row);
  }

  async listKeys(accountId: string | null): Promise<readonly ApiKey[]> {
    const query = this.#db
      .selectFrom("credentials")
      .selectAll()
      .where("kind", "in", Object.values(keyKinds))
      .orderBy("id");
    const rows = await (accountId === null ? query : query.where("account_id", "=", accountId)).execute();
    return rows.map(toKey);
  }

  async insert(credential: Credential): Promise<void> {
    await this.#db
      .insertInto("credentials")
      .values({
        hash: credential.hash,
        id: credential.id,
        account_id: credential.accountId,
        created_at: credential.createdAt,
        last_used_at: credential.lastUsedAt,
        revoked_at: credential.revokedAt,
        ...columnsOf(credential),
      })
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

  async touch({ hash, now }: { hash: string; now: number }): Promise<void> {
    await this.#db.updateTable("credentials").set({ last_used_at: now }).where("hash", "=", hash).execute();
  }
}

const credentialOfHash = keepQuery<{ hash: string }>("hash")((db, { hash }) =>
  db.selectFrom("credentials").selectAll().where("hash", "=", hash),
);

type KindColumns = Pick<
  CredentialsTable,
  "kind" | "name" | "hint" | "client_id" | "scope" | "resource" | "grant_id" | "expires_at"
>;

function columnsOf(credential: Credential): KindColumns {
  switch (credential.kind) {
    case "key":
      return {
        kind: keyKinds[credential.callerClass],
        name: credential.name,
        hint: credential.hint,
        client_id: null,
        scope: null,
        resource: null,
        grant_id: null,
        expires_at: null,
      };
    case "access_token":
      return {
        kind: "access_token",
        name: "",
        hint: "",
        client_id: credential.clientId,
        scope: credential.scopes.join(" "),
        resource: credential.resource,
        grant_id: credential.grantId,
        expires_at: credential.expiresAt,
      };
  }
}

function toCredential(row: Selectable<CredentialsTable>): Credential {
  if (row.kind !== "access_token") return { kind: "key", ...toKey(row) };
  const { client_id, resource, grant_id, expires_at } = row;
  if (client_id === null || resource === null || grant_id === null || expires_at === null) {
    throw new TypeError(`The access token ${row.id} lacks a column.`);
  }
  return {
    kind: "access_token",
    id: row.id,
    hash: row.hash,
    accountId: row.account_id,
    clientId: client_id,
    scopes: scopesOf(row.scope),
    resource,
    grantId: grant_id,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: expires_at,
    revokedAt: row.revoked_at,
  };
}

function toKey(row: Selectable<CredentialsTable>): ApiKey {
  return {
    id: row.id,
    hash: row.hash,
    accountId: row.account_id,
    callerClass: oneOf(kinds, row.kind, "credentials.kind") === "owner_key" ? "owner" : "ai_client",
    name: row.name,
    hint: row.hint,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}

/** A scope that this version does not know is good for nothing. */
function scopesOf(scope: string | null): readonly TokenScope[] {
  const names = new Set(scope?.split(" "));
  return tokenScopes.filter((name) => names.has(name));
}

// Connections of accounts with MCP servers, in SQL. Which node renews tokens is decided by a write to the row.

import type { Kysely } from "kysely";
import {
  type ConnectionKey,
  connectionStates,
  type McpConnection,
  type SignInReason,
  signInReasons,
} from "../core/connections/connection.ts";
import type { McpConnectionStore, RenewedTokens } from "../core/connections/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, oneOf, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const mcpConnectionRow = row<McpConnection>("mcp_connections")(
  {
    accountId: text,
    name: text,
    id: text,
    serverUrl: text,
    resource: text,
    issuer: text,
    clientId: text,
    tokenEndpoint: text,
    revocationEndpoint: nullable(text),
    scope: text,
    sealed: text,
    expiresAt: nullable(integer),
    renewedAt: nullable(integer),
    version: integer,
    state: oneOf(connectionStates),
    reason: nullable(oneOf(signInReasons)),
    connectedBy: text,
    connectedAt: integer,
  },
  { renewingUntil: nullable(integer) },
);

declare module "./tables.ts" {
  interface Database {
    mcp_connections: TableOf<typeof mcpConnectionRow>;
  }
}

type Renewal = Pick<McpConnection, "id" | "version">;

export class SqlMcpConnections implements McpConnectionStore {
  readonly #db: Kysely<Database>;
  readonly #leaseNow: Connection["leaseNow"];

  constructor({ db, leaseNow }: Connection) {
    this.#db = db;
    this.#leaseNow = leaseNow;
  }

  async find({ accountId, name }: ConnectionKey): Promise<McpConnection | null> {
    const row = await this.#db
      .selectFrom("mcp_connections")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("name", "=", name)
      .executeTakeFirst();
    return row === undefined ? null : mcpConnectionRow.read(row);
  }

  async list(accountId: string): Promise<readonly McpConnection[]> {
    const rows = await this.#db
      .selectFrom("mcp_connections")
      .selectAll()
      .where("account_id", "=", accountId)
      .orderBy("name")
      .execute();
    return rows.map(mcpConnectionRow.read);
  }

  async listSealedBy(keyId: string): Promise<readonly McpConnection[]> {
    const rows = await this.#db
      .selectFrom("mcp_connections")
      .selectAll()
      .where("sealed", "like", `v1.${keyId}.%`)
      .execute();
    return rows.map(mcpConnectionRow.read);
  }

  async put(connection: McpConnection): Promise<void> {
    await this.#db
      .insertInto("mcp_connections")
      .values(mcpConnectionRow.write(connection, { renewingUntil: null }))
      .onConflict((conflict) =>
        conflict
          .columns(["account_id", "name"])
          .doUpdateSet(mcpConnectionRow.replacing("account_id", "name")),
      )
      .execute();
  }

  async delete({ accountId, name }: ConnectionKey): Promise<McpConnection | null> {
    const row = await this.#db
      .deleteFrom("mcp_connections")
      .where("account_id", "=", accountId)
      .where("name", "=", name)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : mcpConnectionRow.read(row);
  }

  async beginRenewal({ id, version, leaseMs }: Renewal & { leaseMs: number }): Promise<McpConnection | null> {
    const now = await this.#leaseNow();
    const row = await this.#db
      .updateTable("mcp_connections")
      .set({ renewing_until: now + leaseMs })
      .where("id", "=", id)
      .where("version", "=", version)
      .where("state", "=", "connected")
      .where((where) => where.or([where("renewing_until", "is", null), where("renewing_until", "<=", now)]))
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : mcpConnectionRow.read(row);
  }

  async endRenewal({ renewed, ...renewal }: Renewal & { renewed: RenewedTokens | null }): Promise<boolean> {
    const tokens =
      renewed === null ? {} : { ...mcpConnectionRow.change(renewed), version: renewal.version + 1 };
    return await this.#change(renewal, { ...tokens, renewing_until: null });
  }

  async reseal({ sealed, ...renewal }: Renewal & Pick<McpConnection, "sealed">): Promise<boolean> {
    return await this.#change(renewal, { sealed });
  }

  async needSignIn({ reason, ...renewal }: Renewal & { reason: SignInReason }): Promise<boolean> {
    const needed = mcpConnectionRow.change({ state: "sign_in_needed" as const, reason });
    return await this.#change(renewal, { ...needed, renewing_until: null });
  }

  async #change(
    { id, version }: Renewal,
    change: Partial<TableOf<typeof mcpConnectionRow>>,
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("mcp_connections")
      .set(change)
      .where("id", "=", id)
      .where("version", "=", version)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
}

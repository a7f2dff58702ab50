// Claims in SQL: the tickets behind claim URLs, pending claims, and changes of a completed claim.

import type { Kysely } from "kysely";
import type { ClaimTicket, PendingClaim } from "../core/claims/claim.ts";
import type { ClaimStore } from "../core/claims/store-port.ts";
import type { Connection } from "./connection.ts";
import { row, type TableOf } from "./row.ts";
import { integer, nullable, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const ticketRow = row<ClaimTicket>("claim_tickets")({
  hash: text,
  agentId: text,
  createdAt: integer,
  expiresAt: integer,
  usedBy: nullable(text),
});

export const pendingRow = row<PendingClaim>("pending_claims")({
  agentId: text,
  accountId: text,
  expiresAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    claim_tickets: TableOf<typeof ticketRow>;
    pending_claims: TableOf<typeof pendingRow>;
  }
}

export class SqlClaims implements ClaimStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async findTicket(hash: string): Promise<ClaimTicket | null> {
    const row = await this.#db
      .selectFrom("claim_tickets")
      .selectAll()
      .where("hash", "=", hash)
      .executeTakeFirst();
    return row === undefined ? null : ticketRow.read(row);
  }

  async insertTicket(ticket: Omit<ClaimTicket, "usedBy">): Promise<void> {
    await this.#db
      .insertInto("claim_tickets")
      .values(ticketRow.write({ ...ticket, usedBy: null }))
      .execute();
  }

  async useTicket({
    hash,
    accountId,
    expiresAt,
  }: {
    hash: string;
    accountId: string;
    expiresAt: number;
  }): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("claim_tickets")
      .set({ used_by: accountId, expires_at: expiresAt })
      .where("hash", "=", hash)
      .where((where) => where.or([where("used_by", "is", null), where("used_by", "=", accountId)]))
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  async findPending({
    agentId,
    accountId,
    now,
  }: {
    agentId: string;
    accountId: string;
    now: number;
  }): Promise<PendingClaim | null> {
    const row = await this.#db
      .selectFrom("pending_claims")
      .selectAll()
      .where("agent_id", "=", agentId)
      .where("account_id", "=", accountId)
      .where("expires_at", ">", now)
      .executeTakeFirst();
    return row === undefined ? null : pendingRow.read(row);
  }

  async hasPending({ agentId, now }: { agentId: string; now: number }): Promise<boolean> {
    const row = await this.#db
      .selectFrom("pending_claims")
      .select("account_id")
      .where("agent_id", "=", agentId)
      .where("expires_at", ">", now)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  async putPending(claim: PendingClaim): Promise<void> {
    await this.#db
      .insertInto("pending_claims")
      .values(pendingRow.write(claim))
      .onConflict((conflict) =>
        conflict
          .columns(["agent_id", "account_id"])
          .doUpdateSet(pendingRow.replacing("agent_id", "account_id")),
      )
      .execute();
  }

  async complete({ agentId, accountId }: { agentId: string; accountId: string }): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable("agents")
      .set({ account_id: accountId })
      .where("id", "=", agentId)
      .where("account_id", "is", null)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return false;
    await this.#db.deleteFrom("pending_claims").where("agent_id", "=", agentId).execute();
    return true;
  }
}

// Claims in SQL: the tickets behind claim URLs, the claims that wait for a job's consent, and what a claim changes.

import type { Kysely } from "kysely";
import type { StoreTransaction } from "../core/ports/store.ts";
import type { Database } from "./tables.ts";

type Claims = Pick<
  StoreTransaction,
  | "findClaimTicket"
  | "insertClaimTicket"
  | "useClaimTicket"
  | "findPendingClaim"
  | "hasPendingClaim"
  | "putPendingClaim"
  | "claimAgent"
>;

export function claimQueries(db: Kysely<Database>): Claims {
  return {
    findClaimTicket: async (hash) => {
      const row = await db
        .selectFrom("claim_tickets")
        .selectAll()
        .where("hash", "=", hash)
        .executeTakeFirst();
      if (row === undefined) return null;
      return {
        hash: row.hash,
        agentId: row.agent_id,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
        usedBy: row.used_by,
      };
    },

    insertClaimTicket: async ({ hash, agentId, createdAt, expiresAt }) => {
      await db
        .insertInto("claim_tickets")
        .values({ hash, agent_id: agentId, created_at: createdAt, expires_at: expiresAt, used_by: null })
        .execute();
    },

    useClaimTicket: async ({ hash, accountId, expiresAt }) => {
      const { numUpdatedRows } = await db
        .updateTable("claim_tickets")
        .set({ used_by: accountId, expires_at: expiresAt })
        .where("hash", "=", hash)
        .where((where) => where.or([where("used_by", "is", null), where("used_by", "=", accountId)]))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },

    findPendingClaim: async ({ agentId, accountId, now }) => {
      const row = await db
        .selectFrom("pending_claims")
        .selectAll()
        .where("agent_id", "=", agentId)
        .where("account_id", "=", accountId)
        .where("expires_at", ">", now)
        .executeTakeFirst();
      return row === undefined ? null : { agentId, accountId, expiresAt: row.expires_at };
    },

    hasPendingClaim: async ({ agentId, now }) => {
      const row = await db
        .selectFrom("pending_claims")
        .select("account_id")
        .where("agent_id", "=", agentId)
        .where("expires_at", ">", now)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    putPendingClaim: async ({ agentId, accountId, expiresAt }) => {
      await db
        .insertInto("pending_claims")
        .values({ agent_id: agentId, account_id: accountId, expires_at: expiresAt })
        .onConflict((conflict) =>
          conflict.columns(["agent_id", "account_id"]).doUpdateSet({ expires_at: expiresAt }),
        )
        .execute();
    },

    claimAgent: async ({ agentId, accountId }) => {
      const { numUpdatedRows } = await db
        .updateTable("agents")
        .set({ account_id: accountId })
        .where("id", "=", agentId)
        .where("account_id", "is", null)
        .executeTakeFirst();
      if (numUpdatedRows !== 1n) return false;
      await db.deleteFrom("pending_claims").where("agent_id", "=", agentId).execute();
      return true;
    },
  };
}

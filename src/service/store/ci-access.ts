// What the token exchange leaves behind, in SQL: capabilities, used tokens, the audit trail.

import type { Kysely } from "kysely";
import type { StoreTransaction } from "../core/ports/store.ts";
import { parseJob } from "./columns.ts";
import type { Database } from "./tables.ts";

type CiAccess = Pick<
  StoreTransaction,
  | "findCapability"
  | "insertCapability"
  | "revokeCapability"
  | "claimToken"
  | "insertAuditEntry"
  | "deleteExpired"
>;

export function ciAccessQueries(db: Kysely<Database>): CiAccess {
  return {
    findCapability: async (hash) => {
      const row = await db.selectFrom("capabilities").selectAll().where("hash", "=", hash).executeTakeFirst();
      if (row === undefined) return null;
      return {
        hash: row.hash,
        agentId: row.agent_id,
        job: parseJob(row.job),
        issuedAt: row.issued_at,
        expiresAt: row.expires_at,
        revokedAt: row.revoked_at,
      };
    },

    insertCapability: async (capability) => {
      await db
        .insertInto("capabilities")
        .values({
          hash: capability.hash,
          agent_id: capability.agentId,
          job: JSON.stringify(capability.job),
          issued_at: capability.issuedAt,
          expires_at: capability.expiresAt,
          revoked_at: capability.revokedAt,
        })
        .execute();
    },

    revokeCapability: async ({ hash, now }) => {
      await db
        .updateTable("capabilities")
        .set({ revoked_at: now })
        .where("hash", "=", hash)
        .where("revoked_at", "is", null)
        .execute();
    },

    claimToken: async ({ issuer, replayKey, usableUntil }) => {
      const rows = await db
        .insertInto("token_uses")
        .values({ issuer, replay_key: replayKey, usable_until: usableUntil })
        .onConflict((conflict) => conflict.columns(["issuer", "replay_key"]).doNothing())
        .returning("issuer")
        .execute();
      return rows.length === 1;
    },

    insertAuditEntry: async (entry) => {
      await db
        .insertInto("audit_entries")
        .values({
          id: entry.id,
          at: entry.at,
          request_id: entry.requestId,
          action: entry.action,
          outcome: entry.outcome,
          issuer: entry.issuer,
          repository_id: entry.repositoryId,
          repository_name: entry.repositoryName,
          ci_run_id: entry.ciRunId,
          account_id: entry.accountId ?? null,
        })
        .execute();
    },

    deleteExpired: async ({ now, auditedBefore }) => {
      const results = [
        await db.deleteFrom("token_uses").where("usable_until", "<", now).executeTakeFirst(),
        await db.deleteFrom("capabilities").where("expires_at", "<", now).executeTakeFirst(),
        await db.deleteFrom("idempotency_keys").where("expires_at", "<", now).executeTakeFirst(),
        await db.deleteFrom("claim_tickets").where("expires_at", "<", now).executeTakeFirst(),
        await db.deleteFrom("pending_claims").where("expires_at", "<", now).executeTakeFirst(),
        await db.deleteFrom("audit_entries").where("at", "<", auditedBefore).executeTakeFirst(),
      ];
      return results.reduce((sum, result) => sum + Number(result.numDeletedRows), 0);
    },
  };
}

// Idempotency keys in SQL: one live use a key and agent.

import type { Kysely } from "kysely";
import type { StoreTransaction } from "../core/ports/store.ts";
import type { Database } from "./tables.ts";

export function idempotencyQueries(
  db: Kysely<Database>,
): Pick<StoreTransaction, "findIdempotentRun" | "insertIdempotentRun"> {
  return {
    findIdempotentRun: async ({ agentId, key, now }) => {
      const row = await db
        .selectFrom("idempotency_keys")
        .selectAll()
        .where("agent_id", "=", agentId)
        .where("key", "=", key)
        .where("expires_at", ">", now)
        .executeTakeFirst();
      if (row === undefined) return null;
      return {
        runId: row.run_id,
        threadId: row.thread_id,
        requestHash: row.request_hash,
        expiresAt: row.expires_at,
      };
    },

    insertIdempotentRun: async ({ agentId, key, now, runId, threadId, requestHash, expiresAt }) => {
      const use = { run_id: runId, thread_id: threadId, request_hash: requestHash, expires_at: expiresAt };
      const rows = await db
        .insertInto("idempotency_keys")
        .values({ agent_id: agentId, key, ...use })
        .onConflict((conflict) =>
          conflict
            .columns(["agent_id", "key"])
            .doUpdateSet(use)
            .where("idempotency_keys.expires_at", "<=", now),
        )
        .returning("run_id")
        .execute();
      return rows.length === 1;
    },
  };
}

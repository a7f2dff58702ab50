// Keys of sessions in SQL: one session a key and agent. They last as long as their sessions, which are not removed.

import type { Kysely } from "kysely";
import type { StoreTransaction } from "../core/ports/store.ts";
import type { Database } from "./tables.ts";

export function sessionKeyQueries(
  db: Kysely<Database>,
): Pick<
  StoreTransaction,
  "findSessionByKey" | "insertSessionKey" | "deleteSessionKey" | "deleteSessionKeys"
> {
  return {
    findSessionByKey: async ({ agentId, key }) => {
      const row = await db
        .selectFrom("session_keys")
        .select("thread_id")
        .where("agent_id", "=", agentId)
        .where("key", "=", key)
        .executeTakeFirst();
      return row?.thread_id ?? null;
    },

    insertSessionKey: async ({ agentId, key, threadId, createdAt }) => {
      const rows = await db
        .insertInto("session_keys")
        .values({ agent_id: agentId, key, thread_id: threadId, created_at: createdAt })
        .onConflict((conflict) => conflict.columns(["agent_id", "key"]).doNothing())
        .returning("thread_id")
        .execute();
      return rows.length === 1;
    },

    deleteSessionKey: async ({ agentId, key }) => {
      await db.deleteFrom("session_keys").where("agent_id", "=", agentId).where("key", "=", key).execute();
    },

    deleteSessionKeys: async (agentId) => {
      const rows = await db
        .deleteFrom("session_keys")
        .where("agent_id", "=", agentId)
        .returning("key")
        .execute();
      return rows.length;
    },
  };
}

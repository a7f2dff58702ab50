// Idempotency keys in SQL: one use of a key and agent at a time.

import type { Kysely } from "kysely";
import type { IdempotencyStore, IdempotentRun, KeyUse } from "../core/ports/store/idempotency.ts";
import type { Connection } from "./connection.ts";
import { type Ask, keepQuery } from "./kept-query.ts";
import type { Database } from "./tables.ts";

type KeyQuery = { readonly agentId: string; readonly key: string; readonly now: number };

export class SqlIdempotency implements IdempotencyStore {
  readonly #db: Kysely<Database>;
  readonly #ask: Ask;

  constructor({ db, ask }: Connection) {
    this.#db = db;
    this.#ask = ask;
  }

  async find(query: KeyQuery): Promise<IdempotentRun | null> {
    const [row] = await this.#ask(keyInUse, query);
    if (row === undefined) return null;
    return {
      runId: row.run_id,
      sessionId: row.thread_id,
      requestHash: row.request_hash,
      expiresAt: row.expires_at,
    };
  }

  async insert(use: KeyUse): Promise<boolean> {
    return (await this.#ask(useKey, use)).length === 1;
  }

  async delete({ agentId, runId }: { agentId: string; runId: string | null }): Promise<void> {
    const keys = this.#db.deleteFrom("idempotency_keys").where("agent_id", "=", agentId);
    await (runId === null ? keys : keys.where("run_id", "=", runId)).execute();
  }
}

const keyInUse = keepQuery<KeyQuery>(
  "agentId",
  "key",
  "now",
)((db, { agentId, key, now }) =>
  db
    .selectFrom("idempotency_keys")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("key", "=", key)
    .where("expires_at", ">", now),
);

const useKey = keepQuery<KeyUse>(
  "agentId",
  "key",
  "now",
  "runId",
  "sessionId",
  "requestHash",
  "expiresAt",
)((db, { agentId, key, now, runId, sessionId, requestHash, expiresAt }) => {
  const use = { run_id: runId, thread_id: sessionId, request_hash: requestHash, expires_at: expiresAt };
  return db
    .insertInto("idempotency_keys")
    .values({ agent_id: agentId, key, ...use })
    .onConflict((conflict) =>
      conflict.columns(["agent_id", "key"]).doUpdateSet(use).where("idempotency_keys.expires_at", "<=", now),
    )
    .returning("run_id");
});

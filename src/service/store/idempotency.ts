// Idempotency keys in SQL: one use of a key and agent at a time.

import type { Kysely } from "kysely";
import type { IdempotencyStore, IdempotentRun } from "../core/ports/store/idempotency.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./tables.ts";

export class SqlIdempotency implements IdempotencyStore {
  readonly #db: Kysely<Database>;

  constructor({ db }: Connection) {
    this.#db = db;
  }

  async find({
    agentId,
    key,
    now,
  }: {
    agentId: string;
    key: string;
    now: number;
  }): Promise<IdempotentRun | null> {
    const row = await this.#db
      .selectFrom("idempotency_keys")
      .selectAll()
      .where("agent_id", "=", agentId)
      .where("key", "=", key)
      .where("expires_at", ">", now)
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      runId: row.run_id,
      sessionId: row.thread_id,
      requestHash: row.request_hash,
      expiresAt: row.expires_at,
    };
  }

  async insert({
    agentId,
    key,
    now,
    runId,
    sessionId,
    requestHash,
    expiresAt,
  }: IdempotentRun & { agentId: string; key: string; now: number }): Promise<boolean> {
    const use = { run_id: runId, thread_id: sessionId, request_hash: requestHash, expires_at: expiresAt };
    const rows = await this.#db
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
  }
}

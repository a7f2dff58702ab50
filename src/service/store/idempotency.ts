// Idempotency keys in SQL: one use of a key and agent at a time.

import type { Kysely } from "kysely";
import type { IdempotencyStore, IdempotentRun, KeyUse } from "../core/idempotency/store-port.ts";
import type { Connection } from "./connection.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { row, type TableOf } from "./row.ts";
import { integer, named, optional, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

type KeyQuery = { readonly agentId: string; readonly key: string; readonly now: number };

export const keyRow = row<IdempotentRun>("idempotency_keys")(
  {
    runId: text,
    sessionId: named("thread_id", text),
    requestHash: text,
    expiresAt: integer,
    continuedAfter: optional(integer),
  },
  { agentId: text, key: text },
);

export type KeyTable = TableOf<typeof keyRow>;

declare module "./tables.ts" {
  interface Database {
    idempotency_keys: TableOf<typeof keyRow>;
  }
}

export class SqlIdempotency implements IdempotencyStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;

  constructor({ db, ask }: Connection) {
    this.#db = db;
    this.#ask = ask;
  }

  async find(query: KeyQuery): Promise<IdempotentRun | null> {
    const [row] = await this.#ask(keyInUse, query);
    return row === undefined ? null : keyRow.read(row);
  }

  async insert(use: KeyUse): Promise<boolean> {
    return (await this.#ask(useKey, { ...use, continuedAfter: use.continuedAfter ?? null })).length === 1;
  }

  async put({ agentId, key, ...run }: Omit<KeyUse, "now">): Promise<void> {
    await this.#db
      .insertInto("idempotency_keys")
      .values(keyRow.write(run, { agentId, key }))
      .onConflict((conflict) =>
        conflict.columns(["agent_id", "key"]).doUpdateSet(keyRow.replacing("agent_id", "key")),
      )
      .execute();
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

type BoundKeyUse = Omit<KeyUse, "continuedAfter"> & { readonly continuedAfter: number | null };

const useKey = keepQuery<BoundKeyUse>(
  "agentId",
  "key",
  "now",
  "runId",
  "sessionId",
  "requestHash",
  "expiresAt",
  "continuedAfter",
)((db, { agentId, key, now, continuedAfter, ...run }) =>
  db
    .insertInto("idempotency_keys")
    .values({ ...keyRow.write(run, { agentId, key }), continued_after: continuedAfter })
    .onConflict((conflict) =>
      conflict
        .columns(["agent_id", "key"])
        .doUpdateSet(keyRow.replacing("agent_id", "key"))
        .where("idempotency_keys.expires_at", "<=", now),
    )
    .returning("run_id"),
);

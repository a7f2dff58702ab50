// Sessions, their keys and the changes that they carry from run to run, in SQL. Keys last as long as their sessions, which are
// not deleted.
// Why: docs/decisions/025-a-session-has-a-key.md

import type { Kysely } from "kysely";
import type { CarriedChanges, Session, SessionKey } from "../core/sessions/session.ts";
import type { SessionStore } from "../core/sessions/store-port.ts";
import type { Connection } from "./connection.ts";
import { type KeptQueryRunner, keepQuery } from "./kept-query.ts";
import { row, type TableOf } from "./row.ts";
import { integer, named, text } from "./row-columns.ts";
import type { Database } from "./tables.ts";

export const sessionRow = row<Session>("sessions")(
  { id: text, agentId: text, createdAt: integer },
  { runCount: integer },
);

/** Changes that a session's last run left, as a patch. */
export const carriedRow = row<CarriedChanges>("session_copies")({
  sessionId: text,
  runId: text,
  baseSha: text,
  patch: text,
});

/** The names that callers gave to sessions. */
export const keyRow = row<SessionKey>("session_keys")({
  agentId: text,
  key: text,
  sessionId: named("thread_id", text),
  createdAt: integer,
});

declare module "./tables.ts" {
  interface Database {
    sessions: TableOf<typeof sessionRow>;
    session_copies: TableOf<typeof carriedRow>;
    session_keys: TableOf<typeof keyRow>;
  }
}

export class SqlSessions implements SessionStore {
  readonly #db: Kysely<Database>;
  readonly #ask: KeptQueryRunner;

  constructor({ db, ask }: Connection) {
    this.#db = db;
    this.#ask = ask;
  }

  async insert(session: Session): Promise<void> {
    await this.#db
      .insertInto("sessions")
      .values(sessionRow.write(session, { runCount: 0 }))
      .execute();
  }

  async find(id: string): Promise<Session | null> {
    const [row] = await this.#ask(sessionOfId, { id });
    return row === undefined ? null : sessionRow.read(row);
  }

  async putCarriedChanges(changes: CarriedChanges): Promise<void> {
    await this.#db
      .insertInto("session_copies")
      .values(carriedRow.write(changes))
      .onConflict((conflict) => conflict.column("session_id").doUpdateSet(carriedRow.replacing("session_id")))
      .execute();
  }

  async findCarriedChanges(sessionId: string): Promise<CarriedChanges | null> {
    const row = await this.#db
      .selectFrom("session_copies")
      .selectAll()
      .where("session_id", "=", sessionId)
      .executeTakeFirst();
    return row === undefined ? null : carriedRow.read(row);
  }

  async findLatest(agentId: string): Promise<Session | null> {
    const row = await this.#db
      .selectFrom("sessions")
      .selectAll()
      .where("agent_id", "=", agentId)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? null : sessionRow.read(row);
  }

  async findByKey({ agentId, key }: { agentId: string; key: string }): Promise<string | null> {
    const [row] = await this.#ask(sessionOfKey, { agentId, key });
    return row?.thread_id ?? null;
  }

  async insertKey(key: SessionKey): Promise<boolean> {
    const rows = await this.#db
      .insertInto("session_keys")
      .values(keyRow.write(key))
      .onConflict((conflict) => conflict.columns(["agent_id", "key"]).doNothing())
      .returning("thread_id")
      .execute();
    return rows.length === 1;
  }

  async deleteKey({ agentId, key }: { agentId: string; key: string }): Promise<void> {
    await this.#db
      .deleteFrom("session_keys")
      .where("agent_id", "=", agentId)
      .where("key", "=", key)
      .execute();
  }

  async deleteCarriedChanges(agentId: string): Promise<void> {
    await this.#db
      .deleteFrom("session_copies")
      .where("session_id", "in", (of) =>
        of.selectFrom("sessions").select("id").where("agent_id", "=", agentId),
      )
      .execute();
  }

  async deleteKeys(agentId: string): Promise<number> {
    const rows = await this.#db
      .deleteFrom("session_keys")
      .where("agent_id", "=", agentId)
      .returning("key")
      .execute();
    return rows.length;
  }
}

const sessionOfId = keepQuery<{ id: string }>("id")((db, { id }) =>
  db.selectFrom("sessions").selectAll().where("id", "=", id),
);

const sessionOfKey = keepQuery<{ agentId: string; key: string }>(
  "agentId",
  "key",
)((db, { agentId, key }) =>
  db.selectFrom("session_keys").select("thread_id").where("agent_id", "=", agentId).where("key", "=", key),
);

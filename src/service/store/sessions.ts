// Sessions, their keys and what they carry from run to run, in SQL. Keys last as long as their sessions, which are not
// deleted.
// Why: docs/decisions/025-a-session-has-a-key.md

import type { Kysely, Selectable } from "kysely";
import type { SessionStore } from "../core/ports/store/sessions.ts";
import type { CarriedChanges, Session, SessionKey } from "../core/sessions/session.ts";
import type { Connection } from "./connection.ts";
import { type Ask, keepQuery } from "./kept-query.ts";
import type { Database, SessionsTable } from "./tables.ts";

export class SqlSessions implements SessionStore {
  readonly #db: Kysely<Database>;
  readonly #ask: Ask;

  constructor({ db, ask }: Connection) {
    this.#db = db;
    this.#ask = ask;
  }

  async insert(session: Session): Promise<void> {
    await this.#db
      .insertInto("sessions")
      .values({ id: session.id, agent_id: session.agentId, created_at: session.createdAt, run_count: 0 })
      .execute();
  }

  async find(id: string): Promise<Session | null> {
    const [row] = await this.#ask(sessionOfId, { id });
    return row === undefined ? null : toSession(row);
  }

  async putCarriedChanges({ sessionId, runId, baseSha, patch }: CarriedChanges): Promise<void> {
    const changes = { run_id: runId, base_sha: baseSha, patch };
    await this.#db
      .insertInto("session_copies")
      .values({ session_id: sessionId, ...changes })
      .onConflict((conflict) => conflict.column("session_id").doUpdateSet(changes))
      .execute();
  }

  async findCarriedChanges(sessionId: string): Promise<CarriedChanges | null> {
    const row = await this.#db
      .selectFrom("session_copies")
      .selectAll()
      .where("session_id", "=", sessionId)
      .executeTakeFirst();
    if (row === undefined) return null;
    return { sessionId, runId: row.run_id, baseSha: row.base_sha, patch: row.patch };
  }

  async findLatest(agentId: string): Promise<Session | null> {
    const row = await this.#db
      .selectFrom("sessions")
      .selectAll()
      .where("agent_id", "=", agentId)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? null : toSession(row);
  }

  async findByKey({ agentId, key }: { agentId: string; key: string }): Promise<string | null> {
    const [row] = await this.#ask(sessionOfKey, { agentId, key });
    return row?.thread_id ?? null;
  }

  async insertKey({ agentId, key, sessionId, createdAt }: SessionKey): Promise<boolean> {
    const rows = await this.#db
      .insertInto("session_keys")
      .values({ agent_id: agentId, key, thread_id: sessionId, created_at: createdAt })
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

function toSession(row: Selectable<SessionsTable>): Session {
  return { id: row.id, agentId: row.agent_id, createdAt: row.created_at };
}

// Sessions, their keys and what they carry from run to run. Implemented in store/sessions.ts.

import type { CarriedChanges, Session, SessionKey } from "./session.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly sessions: SessionReader;
  }
  interface StoreTransaction {
    readonly sessions: SessionStore;
  }
}

interface SessionReader {
  find(id: string): Promise<Session | null>;
  /** The id of the session that has this key among the agent's sessions. Null where the key is free. */
  findByKey(query: { agentId: string; key: string }): Promise<string | null>;
  /** The agent's newest session. */
  findLatest(agentId: string): Promise<Session | null>;
  /** Changes that the session's last run left. Null where it left nothing. */
  findCarriedChanges(sessionId: string): Promise<CarriedChanges | null>;
}

export interface SessionStore extends SessionReader {
  insert(session: Session): Promise<void>;
  /** False when the key is taken. Safe to race: one caller gets true, the others wait for its transaction. */
  insertKey(key: SessionKey): Promise<boolean>;
  /** Frees one key, if it is taken. */
  deleteKey(name: { agentId: string; key: string }): Promise<void>;
  /** Frees every key of an agent; the sessions stay. Returns how many. */
  deleteKeys(agentId: string): Promise<number>;
  /** Deletes the changes that every session of an agent has kept for its next run. */
  deleteCarriedChanges(agentId: string): Promise<void>;
  /** Replaces what the session carried before. */
  putCarriedChanges(changes: CarriedChanges): Promise<void>;
}

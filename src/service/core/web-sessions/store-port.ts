// Browsers in which somebody is signed in, as the core reads and writes them. Implemented in store/web-sessions.ts.

import type { StoredWebSession, WebSession } from "./web-session.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly webSessions: WebSessionReader;
  }
  interface StoreTransaction {
    readonly webSessions: WebSessionStore;
  }
}

interface WebSessionReader {
  /** Also one that has ended. Null where its person is no member of the account any more. */
  find(hash: string): Promise<WebSession | null>;
  /** Those of a person that last beyond `now`, oldest first. */
  list(query: { personId: string; now: number }): Promise<readonly StoredWebSession[]>;
  /** Whether a browser is signed in to the account. */
  isSignedIn(query: { accountId: string; now: number }): Promise<boolean>;
}

export interface WebSessionStore extends WebSessionReader {
  insert(session: StoredWebSession): Promise<void>;
  see(seen: { hash: string; seenAt: number; expiresAt: number }): Promise<void>;
  authenticate(request: { hash: string; now: number }): Promise<void>;
  /** False where the person has no session with this id. */
  delete(session: { personId: string; id: string }): Promise<boolean>;
  /** Those of a person in one account. */
  deleteOf(member: { accountId: string; personId: string }): Promise<void>;
  /** Keeps the one with the id `kept`. Returns how many it deleted. */
  deleteAll(request: { personId: string; kept: string | null }): Promise<number>;
}

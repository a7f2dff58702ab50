// Browsers in which somebody is signed in, as the core reads and writes them. Implemented in store/web-sessions.ts.

import type { WebSession } from "./web-session.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly webSessions: WebSessionReader;
  }
  interface StoreTransaction {
    readonly webSessions: WebSessionStore;
  }
}

interface WebSessionReader {
  /** Also one that has ended. */
  find(hash: string): Promise<WebSession | null>;
  /** Those of an account that last beyond `now`, oldest first. */
  list(query: { accountId: string; now: number }): Promise<readonly WebSession[]>;
}

export interface WebSessionStore extends WebSessionReader {
  insert(session: WebSession): Promise<void>;
  see(seen: { hash: string; seenAt: number; expiresAt: number }): Promise<void>;
  authenticate(request: { hash: string; now: number }): Promise<void>;
  /** False where the account has no session with this id. */
  delete(session: { accountId: string; id: string }): Promise<boolean>;
  /** Keeps the one with the id `kept`. Returns how many it deleted. */
  deleteAll(request: { accountId: string; kept: string | null }): Promise<number>;
}

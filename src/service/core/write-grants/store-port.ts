// Write grants of agents. Implemented in store/write-grants.ts.

import type { WriteGrant } from "./write-grant.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly writeGrants: WriteGrantReader;
  }
  interface StoreTransaction {
    readonly writeGrants: WriteGrantStore;
  }
}

interface WriteGrantReader {
  /** An agent's, by server. */
  list(agentId: string): Promise<readonly WriteGrant[]>;
}

export interface WriteGrantStore extends WriteGrantReader {
  /** The first of two stays. */
  put(agentId: string, grant: WriteGrant): Promise<void>;
  delete(grant: { agentId: string; server: string }): Promise<void>;
  deleteAll(agentId: string): Promise<void>;
}

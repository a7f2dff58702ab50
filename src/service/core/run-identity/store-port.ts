// Keys that sign the ID tokens of runs, and the audiences of agents. Implemented in store/run-identity.ts.

import type { AudienceGrant } from "./audience-grant.ts";
import type { IdentityKey } from "./identity-key.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly runIdentity: RunIdentityReader;
  }
  interface StoreTransaction {
    readonly runIdentity: RunIdentityStore;
  }
}

interface RunIdentityReader {
  /** In their sequence. */
  listKeys(): Promise<readonly IdentityKey[]>;
  /** An agent's, by audience. */
  listAudiences(agentId: string): Promise<readonly AudienceGrant[]>;
}

export interface RunIdentityStore extends RunIdentityReader {
  /** The first of two with the same sequence stays. */
  putKey(key: IdentityKey): Promise<void>;
  deleteKeysBelow(sequence: number): Promise<void>;
  /** In the place of those that there are. */
  setAudiences(agentId: string, grants: readonly AudienceGrant[]): Promise<void>;
}

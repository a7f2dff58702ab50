// Records of the token exchange: capabilities and used tokens. Implemented in store/ci.ts.

import type { Capability } from "./capability.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly ci: CiReader;
  }
  interface StoreTransaction {
    readonly ci: CiStore;
  }
}

interface CiReader {
  findCapability(hash: string): Promise<Capability | null>;
}

export interface CiStore extends CiReader {
  insertCapability(capability: Capability): Promise<void>;
  revokeCapability(revocation: { hash: string; now: number }): Promise<void>;
  /** False when this token was claimed before. Safe to race: one caller gets true. */
  claimToken(token: { issuer: string; replayKey: string; usableUntil: number }): Promise<boolean>;
}

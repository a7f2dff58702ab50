// Claims of repositories' agents. Implemented in store/claims.ts.

import type { ClaimTicket, PendingClaim } from "./claim.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly claims: ClaimReader;
  }
  interface StoreTransaction {
    readonly claims: ClaimStore;
  }
}

interface ClaimReader {
  findTicket(hash: string): Promise<ClaimTicket | null>;
  findPending(query: { agentId: string; accountId: string; now: number }): Promise<PendingClaim | null>;
  /** True while any account's claim is pending. */
  hasPending(query: { agentId: string; now: number }): Promise<boolean>;
}

export interface ClaimStore extends ClaimReader {
  insertTicket(ticket: Omit<ClaimTicket, "usedBy">): Promise<void>;
  /** False when another account used it. Otherwise it now ends at `expiresAt`. Safe to race. */
  useTicket(use: { hash: string; accountId: string; expiresAt: number }): Promise<boolean>;
  /** Makes a pending claim, or moves its end. */
  putPending(claim: PendingClaim): Promise<void>;
  /** Gives an agent to an account and ends every pending claim on it. False when the agent has an account. */
  complete(claim: { agentId: string; accountId: string }): Promise<boolean>;
}

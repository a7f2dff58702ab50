// Uses of idempotency keys. Implemented in store/idempotency.ts.

export interface IdempotencyStore {
  /** The use of a key that has not expired, or null. */
  find(query: { agentId: string; key: string; now: number }): Promise<IdempotentRun | null>;
  /** False when another request used the key at the same time. */
  insert(use: KeyUse): Promise<boolean>;
  /** Frees the keys of `agentId`; with `runId` those that were used for it. */
  delete(of: { agentId: string; runId: string | null }): Promise<void>;
}

export type KeyUse = IdempotentRun & { readonly agentId: string; readonly key: string; readonly now: number };

export type IdempotentRun = {
  readonly runId: string;
  readonly sessionId: string;
  /** Of the request that the key was first used for: `hashRequest`. */
  readonly requestHash: string;
  readonly expiresAt: number;
};

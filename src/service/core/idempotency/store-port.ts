// Uses of idempotency keys: those that made a run or an agent, and those of other requests. Implemented in store/idempotency.ts
// and store/request-keys.ts.

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly requestKeys: RequestKeyReader;
  }
  interface StoreTransaction {
    readonly idempotency: IdempotencyStore;
    readonly requestKeys: RequestKeyStore;
  }
}

export type RequestKey = {
  /** The account, the family of routes and what the request is about. */
  readonly scope: string;
  readonly key: string;
};

export type RequestKeyUse = {
  /** SHA-256 of the request that the key was first used for. */
  readonly requestHash: string;
  /** The id of the thing that the request made. */
  readonly subjectId: string;
};

export interface RequestKeyReader {
  /** A use that has not expired, or null. */
  find(query: RequestKey & { now: number }): Promise<RequestKeyUse | null>;
}

export interface RequestKeyStore extends RequestKeyReader {
  /** False when another request used the key at the same time. */
  insert(use: RequestKey & RequestKeyUse & { now: number; expiresAt: number }): Promise<boolean>;
}

export interface IdempotencyStore {
  /** The use of a key that has not expired, or null. */
  find(query: { agentId: string; key: string; now: number }): Promise<IdempotentRun | null>;
  /** False when another request used the key at the same time. */
  insert(use: KeyUse): Promise<boolean>;
  /** Takes the place of an earlier use of the key. */
  put(use: Omit<KeyUse, "now">): Promise<void>;
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
  /** The request continued a parked run, which goes on after this `seq`. Absent: it made the run. */
  readonly continuedAfter?: number;
};

// Uses of idempotency keys by requests that make no run. Implemented in store/request-keys.ts.

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly requestKeys: RequestKeyReader;
  }
  interface StoreTransaction {
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
  /** What that request made. */
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

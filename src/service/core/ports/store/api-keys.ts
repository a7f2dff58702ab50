// Keys of accounts, as the core reads and writes them. Implemented in store/api-keys.ts.

import type { ApiKey } from "../../accounts/api-key.ts";

export interface ApiKeyReader {
  find(hash: string): Promise<ApiKey | null>;
  /** One account's keys; with null those of all accounts. Oldest first. */
  list(accountId: string | null): Promise<readonly ApiKey[]>;
}

export interface ApiKeyStore extends ApiKeyReader {
  insert(key: ApiKey): Promise<void>;
  /** False when there is no such key, or it was revoked before. */
  revoke(revocation: { id: string; now: number }): Promise<boolean>;
  /** Records that the key was used. */
  touch(use: { hash: string; now: number }): Promise<void>;
}

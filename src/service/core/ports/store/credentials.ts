// Keys and access tokens of accounts, as the core reads and writes them. Implemented in store/credentials.ts.

import type { ApiKey, Credential } from "../../accounts/credential.ts";

export interface CredentialReader {
  find(hash: string): Promise<Credential | null>;
  /** One account's keys; with null those of all accounts. Oldest first. */
  listKeys(accountId: string | null): Promise<readonly ApiKey[]>;
}

export interface CredentialStore extends CredentialReader {
  insert(credential: Credential): Promise<void>;
  /** Revokes a key. False when there is no such key, or it was revoked before. */
  revokeKey(revocation: { id: string; now: number }): Promise<boolean>;
  /** Revokes one access token. Safe to repeat. */
  revokeToken(revocation: { hash: string; now: number }): Promise<void>;
  /** Revokes every access token that was issued under a grant. Safe to repeat. */
  revokeTokensOf(revocation: { grantId: string; now: number }): Promise<void>;
  /** Records that the credential was used. */
  touch(use: { hash: string; now: number }): Promise<void>;
}

// Identities and passkeys of accounts. Implemented in store/identities.ts.

import type { Identity, Passkey } from "../../sign-in/identity.ts";

export interface IdentityReader {
  find(subject: { issuer: string; subject: string }): Promise<Identity | null>;
  /** An account's, oldest first. */
  list(accountId: string): Promise<readonly Identity[]>;
  findPasskey(credentialId: string): Promise<Passkey | null>;
  /** An account's, oldest first. */
  listPasskeys(accountId: string): Promise<readonly Passkey[]>;
}

export interface IdentityStore extends IdentityReader {
  /** False when its subject has an account already. Safe to race. */
  insert(identity: Identity): Promise<boolean>;
  /** Records that it was used, and what it is called now. */
  touch(use: { id: string; name: string; now: number }): Promise<void>;
  /** False when the account has no such identity. */
  remove(removal: { id: string; accountId: string }): Promise<boolean>;
  /** False when the passkey is known already. Safe to race. */
  insertPasskey(passkey: Passkey): Promise<boolean>;
  /**
   * Records a use with its counter. False when the counter did not go up, though it counts: the passkey was copied, or
   * the same answer came twice at once.
   */
  usePasskey(use: {
    credentialId: string;
    counter: number;
    isBackedUp: boolean;
    now: number;
  }): Promise<boolean>;
  /** False when the account has no such passkey. */
  removePasskey(removal: { credentialId: string; accountId: string }): Promise<boolean>;
}

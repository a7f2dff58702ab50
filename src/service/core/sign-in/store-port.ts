// Ways to sign in, and sign-ins under way, as the core reads and writes them. Implemented in store/sign-in.ts and
// store/identities.ts.

import type { SignInAttempt } from "./attempt.ts";
import type { Identity, Passkey } from "./identity.ts";
import type { SignInLink } from "./sign-in-link.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly signIn: SignInReader;
    readonly identities: IdentityReader;
  }
  interface StoreTransaction {
    readonly signIn: SignInStore;
    readonly identities: IdentityStore;
  }
}

interface SignInReader {
  findLink(hash: string): Promise<SignInLink | null>;
}

export interface SignInStore extends SignInReader {
  insertLink(link: SignInLink): Promise<void>;
  /** The link, used up now. Null when there is none, or it was used or has ended. Safe to race: one caller gets it. */
  useLink(use: { hash: string; now: number }): Promise<SignInLink | null>;
  insertAttempt(attempt: SignInAttempt): Promise<void>;
  /** The attempt, deleted. Null when there is none. Safe to race: one caller gets it. */
  takeAttempt(hash: string): Promise<SignInAttempt | null>;
}

interface IdentityReader {
  find(subject: { issuer: string; subject: string }): Promise<Identity | null>;
  /** A person's, oldest first. */
  list(personId: string): Promise<readonly Identity[]>;
  findPasskey(credentialId: string): Promise<Passkey | null>;
  /** A person's, oldest first. */
  listPasskeys(personId: string): Promise<readonly Passkey[]>;
}

export interface IdentityStore extends IdentityReader {
  /** False when its subject is linked to somebody already. Safe to race. */
  insert(identity: Identity): Promise<boolean>;
  /** Records that it was used, and what it is called now. */
  touch(use: { id: string; name: string; now: number }): Promise<void>;
  /** False when the person has no such identity. */
  remove(removal: { id: string; personId: string }): Promise<boolean>;
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
  /** False when the person has no such passkey. */
  removePasskey(removal: { credentialId: string; personId: string }): Promise<boolean>;
}

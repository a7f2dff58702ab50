// Invitations, as the core reads and writes them. Implemented in store/invitations.ts.

import type { Invitation } from "./invitation.ts";

declare module "../ports/store.ts" {
  interface StoreReader {
    readonly invitations: InvitationReader;
  }
  interface StoreTransaction {
    readonly invitations: InvitationStore;
  }
}

interface InvitationReader {
  /** Also one that has ended, until it is deleted. */
  find(hash: string): Promise<Invitation | null>;
  /** Those of an account that have not ended, oldest first. */
  list(query: { accountId: string; now: number }): Promise<readonly Invitation[]>;
}

export interface InvitationStore extends InvitationReader {
  insert(invitation: Invitation): Promise<void>;
  /** The invitation, deleted. Null where there is none, or it has ended. Safe to race: one caller gets it. */
  take(use: { hash: string; now: number }): Promise<Invitation | null>;
  /** False where the account has no such invitation. */
  delete(invitation: { accountId: string; id: string }): Promise<boolean>;
  /** Those that a person has made. */
  deleteBy(inviter: { accountId: string; invitedBy: string }): Promise<void>;
}

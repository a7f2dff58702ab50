// An invitation to an account, as it is stored: the token of its link is not here. It is gone once it is used. Pure.

import type { Role } from "../../../contract/roles.ts";

export type Invitation = {
  readonly id: string;
  readonly hash: string;
  readonly accountId: string;
  readonly role: Role;
  /** The person who made it. */
  readonly invitedBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
};

export const INVITATION_MS = 7 * 24 * 60 * 60 * 1000;

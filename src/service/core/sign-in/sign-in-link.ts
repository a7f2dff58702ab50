// A one-time link as it is stored. Times are milliseconds since the epoch. Pure.

export type SignInLink = {
  readonly hash: string;
  /** Null: it opens the first account of the service. */
  readonly accountId: string | null;
  /** Whom it signs in. Null with the account. */
  readonly personId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | null;
};

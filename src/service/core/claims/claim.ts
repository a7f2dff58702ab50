// A claim link and a pending claim. Times are milliseconds since the epoch. Pure.

export type ClaimTicket = {
  readonly hash: string;
  readonly agentId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The account that claimed with it; null until then. */
  readonly usedBy: string | null;
};

/** An account has claimed a repository's agent. A job of the repository has to name the account to accept it. */
export type PendingClaim = {
  readonly agentId: string;
  readonly accountId: string;
  readonly expiresAt: number;
};

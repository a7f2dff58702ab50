// A claim link and a pending claim. Times are milliseconds since the epoch. Pure.

export type ClaimTicket = {
  readonly hash: string;
  readonly agentId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The account that claimed with it; null until then. */
  readonly usedBy: string | null;
};

/** An account asks for a repository's agent, and waits for a job of the repository to name it. */
export type PendingClaim = {
  readonly agentId: string;
  readonly accountId: string;
  readonly expiresAt: number;
};

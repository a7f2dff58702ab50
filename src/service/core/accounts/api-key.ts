// A long-lived credential of an account, and the two caller classes. Pure.

/**
 * The two caller classes: the account's owner, or an AI client that acts for the owner and may not approve what only a
 * person should approve.
 */
export const callerClasses = ["owner", "ai_client"] as const;
export type CallerClass = (typeof callerClasses)[number];

/** A long-lived credential of an account, as stored: the secret itself is not here. */
export type ApiKey = {
  readonly id: string;
  readonly hash: string;
  readonly accountId: string;
  readonly callerClass: CallerClass;
  /** What its owner calls it. */
  readonly name: string;
  /** The secret's last characters, to tell keys apart. */
  readonly hint: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
};

// Grants of an account's owner to an application. Pure.

/** One sign-in of an application: its codes and tokens end with it. */
export type OAuthGrant = {
  readonly id: string;
  readonly accountId: string;
  /** Who agreed, and whose right bounds it. Null: jobs of a repository, which are nobody. */
  readonly personId: string | null;
  readonly clientId: string;
  /** The application's name for itself. */
  readonly clientName: string;
  /** Separated by spaces. */
  readonly scope: string;
  readonly resource: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
};

/** True while tokens may be issued under it. */
export function isAlive({ expiresAt, revokedAt }: OAuthGrant, now: number): boolean {
  return revokedAt === null && expiresAt > now;
}

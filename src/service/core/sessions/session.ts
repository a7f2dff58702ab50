// A session, its key, and what its last run left changed. Pure.

export type Session = { readonly id: string; readonly agentId: string; readonly createdAt: number };

/** Changes that a session's last run left in its repository. The next run begins with it. */
export type CarriedChanges = {
  readonly sessionId: string;
  readonly runId: string;
  /** The commit that the patch is against. */
  readonly baseSha: string;
  readonly patch: string;
};

/** A name that the callers of an agent gave to a session. */
export type SessionKey = {
  readonly agentId: string;
  readonly key: string;
  /** The session. The first run with the key makes it. */
  readonly sessionId: string;
  readonly createdAt: number;
};

// A session, its key, and what its last run left changed. Pure.

export type Session = { readonly id: string; readonly agentId: string; readonly createdAt: number };

/** What a session's last run left changed in its repository: the next one begins with it. */
export type CarriedChanges = {
  readonly sessionId: string;
  readonly runId: string;
  /** The commit that the patch is against. */
  readonly baseSha: string;
  readonly patch: string;
};

/** A name of a session that its agent's callers chose. */
export type SessionKey = {
  readonly agentId: string;
  readonly key: string;
  /** The session, made by the run that is first to use the key. */
  readonly threadId: string;
  readonly createdAt: number;
};

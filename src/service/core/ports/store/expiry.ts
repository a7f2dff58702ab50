// Deletion of what is kept for a time only. Implemented in store/expiry.ts.

export interface ExpiryStore {
  /**
   * Deletes inputs and events of runs that ended before `endedBefore`: about `maxEvents` events, whole runs where that
   * is enough. A run has expired from its first deleted event on. Returns how many runs it touched: 0 when nothing is
   * left. Safe to race.
   */
  deleteRunContent(batch: { endedBefore: number; maxEvents: number }): Promise<number>;
  /**
   * The same for the runs of one agent that was deleted before `deletedBefore`, but for those in workspaces. Returns 0 when no
   * such agent is left. Safe to race.
   */
  eraseDeletedAgent(batch: { deletedBefore: number; maxEvents: number; now: number }): Promise<number>;
  /**
   * Deletes tokens, capabilities, keys, tickets and secrets of runs that ended before `now`, and audit entries before `auditedBefore`: of
   * each the oldest, about `limit`. Returns how many: 0 when nothing is left.
   */
  deleteExpired(step: { now: number; auditedBefore: number; limit: number }): Promise<number>;
}

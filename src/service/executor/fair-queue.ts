// Queued runs in memory, by billing account: accounts take turns, each with its oldest run, so that one with thousands of runs lets the
// others through.
// Why: docs/decisions/176-accounts-share-the-workers.md

export class FairQueue {
  /** Those that have waited longest since their last turn are first. */
  readonly #accounts = new Map<string, Set<string>>();
  readonly #runs = new Set<string>();

  get size(): number {
    return this.#runs.size;
  }

  /** A run that is in the queue already stays where it is. */
  add(runId: string, billingAccount: string): void {
    if (this.#runs.has(runId)) return;
    this.#runs.add(runId);
    const own = this.#accounts.get(billingAccount);
    if (own === undefined) this.#accounts.set(billingAccount, new Set([runId]));
    else own.add(runId);
  }

  /** Null: there is none. */
  take(): string | null {
    for (const [billingAccount, own] of this.#accounts) {
      this.#accounts.delete(billingAccount);
      const [oldest] = own;
      if (oldest === undefined) continue;
      own.delete(oldest);
      this.#runs.delete(oldest);
      if (own.size > 0) this.#accounts.set(billingAccount, own);
      return oldest;
    }
    return null;
  }
}

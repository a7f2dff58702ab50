// Queued runs in memory, by billing account, and how many each account has at work: accounts share the workers by their weights, so that
// one with thousands of runs lets the others through. `store/start-oldest.ts` does the same for several nodes.
// Why: docs/decisions/176-accounts-share-the-workers.md, docs/decisions/189-weights-of-plans.md

import { WEIGHT_WITHOUT_PLAN } from "../core/money/rates.ts";

type WaitingRuns = {
  /** When each was queued, by its id, oldest first. */
  readonly queuedAt: Map<string, number>;
  /** While it has runs queued. */
  lastStartAt: number;
};

type Turn = {
  /** Of billing accounts; one that is not among them has no plan. */
  readonly weights: ReadonlyMap<string, number>;
  readonly now: number;
};

type Candidate = {
  readonly runId: string;
  readonly billingAccount: string;
  /** Its account's runs at work, by weight. */
  readonly share: number;
  /** How long its account has waited for it, by weight. */
  readonly wait: number;
  readonly weight: number;
};

export class FairQueue {
  readonly #waiting = new Map<string, WaitingRuns>();
  readonly #queued = new Set<string>();
  /** The billing accounts of runs that workers have, and how many each has of them. */
  readonly #accountOf = new Map<string, string>();
  readonly #atWork = new Map<string, number>();

  get size(): number {
    return this.#queued.size;
  }

  /** The billing accounts that have runs queued. */
  get billingAccounts(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  get hasSeveralAccounts(): boolean {
    return this.#waiting.size > 1;
  }

  /** A run that is in the queue already stays where it is. */
  add(run: { runId: string; billingAccount: string; now: number }): void {
    const { runId, billingAccount, now } = run;
    if (this.#queued.has(runId)) return;
    this.#queued.add(runId);
    const own = this.#waiting.get(billingAccount);
    if (own !== undefined) own.queuedAt.set(runId, now);
    else this.#waiting.set(billingAccount, { queuedAt: new Map([[runId, now]]), lastStartAt: now });
  }

  /** The next run, which is at work from here on. Null: none is queued. */
  take(turn: Turn): string | null {
    let next: Candidate | null = null;
    for (const [billingAccount, own] of this.#waiting) {
      const candidate = this.#candidateOf(billingAccount, own, turn);
      if (next === null || goesBefore(candidate, next)) next = candidate;
    }
    if (next === null) return null;
    const { runId, billingAccount } = next;
    this.#queued.delete(runId);
    const own = this.#waiting.get(billingAccount);
    own?.queuedAt.delete(runId);
    if (own?.queuedAt.size === 0) this.#waiting.delete(billingAccount);
    this.begin({ runId, billingAccount, startedAt: turn.now });
    return runId;
  }

  /** A worker has the run. Safe to repeat. */
  begin(run: { runId: string; billingAccount: string; startedAt: number }): void {
    const { runId, billingAccount, startedAt } = run;
    const own = this.#waiting.get(billingAccount);
    if (own !== undefined) own.lastStartAt = Math.max(own.lastStartAt, startedAt);
    if (this.#accountOf.has(runId)) return;
    this.#accountOf.set(runId, billingAccount);
    this.#atWork.set(billingAccount, (this.#atWork.get(billingAccount) ?? 0) + 1);
  }

  /** No worker has the run any more. Safe to repeat. */
  end(runId: string): void {
    const billingAccount = this.#accountOf.get(runId);
    if (billingAccount === undefined) return;
    this.#accountOf.delete(runId);
    const left = (this.#atWork.get(billingAccount) ?? 0) - 1;
    if (left > 0) this.#atWork.set(billingAccount, left);
    else this.#atWork.delete(billingAccount);
  }

  #candidateOf(billingAccount: string, own: WaitingRuns, { weights, now }: Turn): Candidate {
    const [oldest] = own.queuedAt;
    if (oldest === undefined) throw new Error(`Billing account ${billingAccount} has no run queued.`);
    const [runId, queuedAt] = oldest;
    const weight = weights.get(billingAccount) ?? WEIGHT_WITHOUT_PLAN;
    const waitedMs = Math.max(0, now - Math.max(queuedAt, own.lastStartAt));
    const share = (this.#atWork.get(billingAccount) ?? 0) / weight;
    return { runId, billingAccount, share, wait: waitedMs * weight, weight };
  }
}

function goesBefore(one: Candidate, other: Candidate): boolean {
  if (one.share !== other.share) return one.share < other.share;
  if (one.wait !== other.wait) return one.wait > other.wait;
  if (one.weight !== other.weight) return one.weight > other.weight;
  return one.runId < other.runId;
}

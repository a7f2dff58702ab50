// Dispatch within one process: a queue of run ids in memory. After a restart, queued runs are offered again from
// the store.

import type { Clock } from "../../base/clock.ts";
import type { Dispatch } from "../core/runs/dispatch.ts";
import type { RunRecord } from "../core/runs/run-record.ts";
import { FairQueue } from "./fair-queue.ts";
import type { RunQueue } from "./run-queue.ts";

type InProcessDispatchOptions = {
  readonly clock: Pick<Clock, "now">;
  /** The weights of billing accounts as their plans are now; one that is not among them has no plan. Never rejects. */
  readonly findWeights: (billingAccounts: readonly string[]) => Promise<ReadonlyMap<string, number>>;
};

const noWeights: ReadonlyMap<string, number> = new Map();

export class InProcessDispatch implements Dispatch, RunQueue {
  readonly #options: InProcessDispatchOptions;
  readonly #queue = new FairQueue();
  readonly #awaited = new Set<string>();
  readonly #released = new Set<string>();
  readonly #idle: ((runId: string) => void)[] = [];
  readonly #workers = new Map<string, () => void>();

  constructor(options: InProcessDispatchOptions) {
    this.#options = options;
  }

  enqueue(runId: string, billingAccount: string): void {
    const now = this.#options.clock.now();
    if (this.#offer(runId)) this.#queue.begin({ runId, billingAccount, startedAt: now });
    else this.#queue.add({ runId, billingAccount, now });
  }

  enqueueAwaited(runId: string): void {
    if (!this.#offer(runId)) this.#awaited.add(runId);
  }

  requeue(runId: string): void {
    if (!this.#offer(runId)) this.#released.add(runId);
  }

  nudge(runId: string): void {
    this.#workers.get(runId)?.();
  }

  waiting(): number {
    return this.#queue.size + this.#awaited.size + this.#released.size;
  }

  /** The queue of this process is the whole queue. */
  recount(): void {}

  /** The next run id, one that is awaited first, then one that was given back, then by account; null once `signal` aborts. */
  async next(signal: AbortSignal): Promise<string | null> {
    // The account of a single one that waits is next, whatever its plan.
    const weights = this.#queue.hasSeveralAccounts
      ? await this.#options.findWeights(this.#queue.billingAccounts)
      : noWeights;
    if (signal.aborted) return null;
    for (const queue of [this.#awaited, this.#released]) {
      const [oldest] = queue;
      if (oldest === undefined) continue;
      queue.delete(oldest);
      return oldest;
    }
    const queued = this.#queue.take({ weights, now: this.#options.clock.now() });
    if (queued !== null) return queued;
    return await new Promise((resolve) => {
      const take = (runId: string) => {
        signal.removeEventListener("abort", giveUp);
        resolve(runId);
      };
      const giveUp = () => {
        const place = this.#idle.indexOf(take);
        if (place >= 0) this.#idle.splice(place, 1);
        resolve(null);
      };
      this.#idle.push(take);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  begin({
    id: runId,
    billingAccount,
    startedAt,
  }: Pick<RunRecord, "id" | "billingAccount" | "startedAt">): void {
    this.#queue.begin({ runId, billingAccount, startedAt: startedAt ?? this.#options.clock.now() });
  }

  onNudge(runId: string, check: () => void): () => void {
    this.#workers.set(runId, check);
    return () => {
      this.#workers.delete(runId);
      this.#queue.end(runId);
    };
  }

  /** Gives it to the worker that has waited longest. False where none is idle. */
  #offer(runId: string): boolean {
    const taker = this.#idle.shift();
    taker?.(runId);
    return taker !== undefined;
  }
}

// Dispatch within one process: a queue of run ids in memory. After a restart, queued runs are offered again from
// the store.

import type { Dispatch } from "../core/runs/dispatch.ts";
import { FairQueue } from "./fair-queue.ts";
import type { RunQueue } from "./run-queue.ts";

export class InProcessDispatch implements Dispatch, RunQueue {
  readonly #queue = new FairQueue();
  readonly #awaited = new Set<string>();
  readonly #released = new Set<string>();
  readonly #idle: ((runId: string) => void)[] = [];
  readonly #workers = new Map<string, () => void>();

  enqueue(runId: string, billingAccount: string): void {
    if (!this.#offer(runId)) this.#queue.add(runId, billingAccount);
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
    if (signal.aborted) return null;
    for (const queue of [this.#awaited, this.#released]) {
      const [oldest] = queue;
      if (oldest === undefined) continue;
      queue.delete(oldest);
      return oldest;
    }
    const queued = this.#queue.take();
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

  onNudge(runId: string, check: () => void): () => void {
    this.#workers.set(runId, check);
    return () => this.#workers.delete(runId);
  }

  /** Gives it to the worker that has waited longest. False where none is idle. */
  #offer(runId: string): boolean {
    const taker = this.#idle.shift();
    taker?.(runId);
    return taker !== undefined;
  }
}

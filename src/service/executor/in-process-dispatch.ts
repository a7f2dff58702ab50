// Dispatch within one process: a queue of run ids in memory. After a restart, queued runs are offered again from
// the store.

import type { Dispatch } from "../core/runs/dispatch.ts";
import type { RunQueue } from "./run-queue.ts";

export class InProcessDispatch implements Dispatch, RunQueue {
  readonly #queue = new Set<string>();
  readonly #awaited = new Set<string>();
  readonly #idle: ((runId: string) => void)[] = [];
  readonly #workers = new Map<string, () => void>();

  enqueue(runId: string): void {
    this.#offer(runId, this.#queue);
  }

  enqueueAwaited(runId: string): void {
    this.#offer(runId, this.#awaited);
  }

  requeue(runId: string): void {
    this.#offer(runId, this.#queue);
  }

  nudge(runId: string): void {
    this.#workers.get(runId)?.();
  }

  waiting(): number {
    return this.#queue.size + this.#awaited.size;
  }

  /** The queue of this process is the whole queue. */
  recount(): void {}

  /** The next run id, one that is awaited first, else the oldest; null once `signal` aborts. */
  async next(signal: AbortSignal): Promise<string | null> {
    if (signal.aborted) return null;
    for (const queue of [this.#awaited, this.#queue]) {
      const [oldest] = queue;
      if (oldest === undefined) continue;
      queue.delete(oldest);
      return oldest;
    }
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

  #offer(runId: string, queue: Set<string>): void {
    const taker = this.#idle.shift();
    if (taker === undefined) queue.add(runId);
    else taker(runId);
  }
}

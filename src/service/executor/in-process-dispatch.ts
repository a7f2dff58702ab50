// Dispatch within one process: a queue of run ids in memory. What was lost with the process is offered again from
// the store when the next one starts.

import type { Dispatch } from "../core/ports/dispatch.ts";
import type { RunQueue } from "./run-queue.ts";

export class InProcessDispatch implements Dispatch, RunQueue {
  readonly #queue = new Set<string>();
  readonly #idle: ((runId: string) => void)[] = [];
  readonly #workers = new Map<string, () => void>();

  enqueue(runId: string): void {
    const taker = this.#idle.shift();
    if (taker === undefined) this.#queue.add(runId);
    else taker(runId);
  }

  nudge(runId: string): void {
    this.#workers.get(runId)?.();
  }

  waiting(): number {
    return this.#queue.size;
  }

  /** The next run id, oldest first; null once `signal` aborts. */
  async next(signal: AbortSignal): Promise<string | null> {
    if (signal.aborted) return null;
    const [oldest] = this.#queue;
    if (oldest !== undefined) {
      this.#queue.delete(oldest);
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

  onNudge(runId: string, look: () => void): () => void {
    this.#workers.set(runId, look);
    return () => this.#workers.delete(runId);
  }
}

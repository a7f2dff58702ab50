// Dispatch among several nodes: the queue is the `runs` table, taken from with SKIP LOCKED. Signals between nodes only
// say when to look; what they lose, `look` finds.

import type { Logger } from "../../base/log.ts";
import type { Dispatch } from "../core/ports/dispatch.ts";
import type { NodeLink } from "../core/ports/node-link.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { RunQueue } from "./run-queue.ts";

export type SharedDispatchOptions = {
  readonly link: Pick<NodeLink, "tell">;
  /** Takes the oldest queued run. */
  readonly take: () => Promise<TakenRun | null>;
  readonly countQueued: () => Promise<number>;
  readonly log: Logger;
};

export class SharedDispatch implements Dispatch, RunQueue {
  readonly #options: SharedDispatchOptions;
  readonly #idle = new Set<() => void>();
  readonly #workers = new Map<string, () => void>();
  /** Nudges of runs that may be ours in a moment. */
  readonly #nudgedMeanwhile = new Set<string>();
  #taking = 0;
  #offers = 0;
  #waiting = 0;

  constructor(options: SharedDispatchOptions) {
    this.#options = options;
  }

  enqueue(runId: string): void {
    this.#waiting += 1;
    if (!this.offer()) this.#options.link.tell("queued", runId);
  }

  /** The store knows which run is awaited, and gives it out first. */
  enqueueAwaited(runId: string): void {
    this.enqueue(runId);
  }

  nudge(runId: string): void {
    this.hearNudge(runId);
    this.#options.link.tell("nudged", runId);
  }

  /** As of the last look, and what was queued here since. */
  waiting(): number {
    return this.#waiting;
  }

  /** Lets one idle worker of this node look for a run. False when none is idle. */
  offer(): boolean {
    this.#offers += 1;
    const [wake] = this.#idle;
    wake?.();
    return wake !== undefined;
  }

  /** Tells this node's worker of the run, if it has it. */
  hearNudge(runId: string): void {
    if (this.#taking > 0) this.#nudgedMeanwhile.add(runId);
    this.#workers.get(runId)?.();
  }

  /** Counts what is queued, and offers it. To be called from time to time. Never rejects. */
  async look(): Promise<void> {
    try {
      this.#waiting = await this.#options.countQueued();
      if (this.#waiting > 0) this.offer();
    } catch (cause) {
      this.#options.log.warn({ err: cause }, "could not look at the queue");
    }
  }

  async next(signal: AbortSignal): Promise<TakenRun | null> {
    while (!signal.aborted) {
      const seen = this.#offers;
      const taken = await this.#take();
      if (taken !== null) {
        // There may be more than this one: another idle worker looks.
        this.offer();
        return taken;
      }
      // The stop, too, may have come while it looked.
      if (seen === this.#offers && !signal.aborted) await this.#offered(signal);
    }
    return null;
  }

  onNudge(runId: string, look: () => void): () => void {
    this.#workers.set(runId, look);
    if (this.#nudgedMeanwhile.delete(runId)) look();
    return () => this.#workers.delete(runId);
  }

  async #take(): Promise<TakenRun | null> {
    if (this.#taking === 0) this.#nudgedMeanwhile.clear();
    this.#taking += 1;
    try {
      return await this.#options.take();
    } catch (cause) {
      this.#options.log.warn({ err: cause }, "could not take a run");
      return null;
    } finally {
      this.#taking -= 1;
    }
  }

  async #offered(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#idle.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#idle.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}

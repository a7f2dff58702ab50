// Dispatch among several nodes: the queue is the `runs` table, taken from with SKIP LOCKED. Signals between nodes only
// say when to read it; `poll` finds what a lost signal was about.

import type { Logger } from "../../base/log.ts";
import type { Dispatch } from "../core/ports/dispatch.ts";
import type { NodeLink } from "../core/ports/node-link.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { RunQueue } from "./run-queue.ts";

export type SharedDispatchOptions = {
  readonly link: Pick<NodeLink, "publish">;
  /** Takes the oldest queued run. */
  readonly take: () => Promise<TakenRun | null>;
  readonly countQueued: () => Promise<number>;
  readonly log: Logger;
};

export class SharedDispatch implements Dispatch, RunQueue {
  readonly #options: SharedDispatchOptions;
  readonly #idle = new Set<() => void>();
  readonly #workers = new Map<string, () => void>();
  /** Nudges that came while a run was being taken: it may be the one. */
  readonly #nudgedMeanwhile = new Set<string>();
  #taking = 0;
  #offers = 0;
  #waiting = 0;

  constructor(options: SharedDispatchOptions) {
    this.#options = options;
  }

  enqueue(runId: string): void {
    this.#waiting += 1;
    if (!this.offer()) this.#options.link.publish("queued", runId);
  }

  /** The store knows which run is awaited, and gives it to a worker first. */
  enqueueAwaited(runId: string): void {
    this.enqueue(runId);
  }

  nudge(runId: string): void {
    this.receiveNudge(runId);
    this.#options.link.publish("nudged", runId);
  }

  /** As counted last, and what was queued on this node since, whether it was taken or not. */
  waiting(): number {
    return this.#waiting;
  }

  recount(queued: number): void {
    this.#waiting = queued;
  }

  /** Lets one idle worker of this node take a run. False when none is idle. */
  offer(): boolean {
    this.#offers += 1;
    const [wake] = this.#idle;
    wake?.();
    return wake !== undefined;
  }

  /** Lets the run's worker read its state now, where that worker is on this node. */
  receiveNudge(runId: string): void {
    if (this.#taking > 0) this.#nudgedMeanwhile.add(runId);
    this.#workers.get(runId)?.();
  }

  /** Counts what is queued, and offers it. To be called from time to time. Never rejects. */
  async poll(): Promise<void> {
    try {
      this.recount(await this.#options.countQueued());
      if (this.#waiting > 0) this.offer();
    } catch (cause) {
      this.#options.log.warn({ err: cause }, "could not poll the queue");
    }
  }

  async next(signal: AbortSignal): Promise<TakenRun | null> {
    while (!signal.aborted) {
      const seen = this.#offers;
      const taken = await this.#take();
      if (taken !== null) {
        // There may be more runs: another idle worker tries.
        this.offer();
        return taken;
      }
      // The stop may have come meanwhile, too.
      if (seen === this.#offers && !signal.aborted) await this.#offered(signal);
    }
    return null;
  }

  onNudge(runId: string, check: () => void): () => void {
    this.#workers.set(runId, check);
    if (this.#nudgedMeanwhile.delete(runId)) check();
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

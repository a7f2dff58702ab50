// Dispatch among several nodes: the queue is the `runs` table, taken from with SKIP LOCKED. Signals between nodes only
// say when to read it; `poll` finds what a lost signal was about.

import type { Logger } from "../../base/log.ts";
import type { Dispatch } from "../core/runs/dispatch.ts";
import type { NodeLink } from "../core/runs/node-link.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { RunQueue } from "./run-queue.ts";

export type SharedDispatchOptions = {
  readonly link: Pick<NodeLink, "publish">;
  /** Takes the oldest queued run. */
  readonly take: () => Promise<TakenRun | null>;
  /** Takes the oldest run that was given back. */
  readonly takeReleased: () => Promise<TakenRun | null>;
  readonly countQueued: () => Promise<number>;
  readonly countReleased: () => Promise<number>;
  readonly log: Logger;
};

export class SharedDispatch implements Dispatch, RunQueue {
  readonly #options: SharedDispatchOptions;
  readonly #idle = new Set<() => void>();
  readonly #workers = new Map<string, () => void>();
  /** Nudges that came while a run was being taken: it may be the one. */
  readonly #nudgedMeanwhile = new Set<string>();
  #taking = 0;
  /** Workers that were woken and do not take a run yet. */
  #woken = 0;
  #offers = 0;
  /** Runs that may be queued: never fewer than this node was told of. A take that finds none corrects it. Unknown at first. */
  #expected = Number.POSITIVE_INFINITY;
  #waiting = 0;
  /** Runs that may have been given back, as counted last. */
  #released = 0;

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

  /** Other nodes find it when they count next. */
  requeue(): void {
    this.#released += 1;
    this.offer();
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
    this.#expect(this.#expected + 1);
    const [wake] = this.#idle;
    wake?.();
    return wake !== undefined;
  }

  #expect(runs: number): void {
    this.#offers += 1;
    this.#expected = runs;
  }

  /** Lets as many workers take a run as there may be runs that nobody is about to take. */
  #offerRest(): void {
    let left = this.#expected - this.#taking - this.#woken;
    for (const wake of this.#idle) {
      if (left <= 0) return;
      wake();
      left -= 1;
    }
  }

  /** Lets the run's worker read its state now, where that worker is on this node. */
  receiveNudge(runId: string): void {
    if (this.#taking > 0) this.#nudgedMeanwhile.add(runId);
    this.#workers.get(runId)?.();
  }

  /** Counts what is queued, and offers it. To be called from time to time. Never rejects. */
  async poll(): Promise<void> {
    try {
      this.#released = await this.#options.countReleased();
      this.recount(await this.#options.countQueued());
      const offered = this.#waiting + this.#released;
      if (offered === 0) return;
      this.#expect(Math.max(this.#expected, offered));
      this.#offerRest();
    } catch (cause) {
      this.#options.log.warn({ err: cause }, "could not poll the queue");
    }
  }

  async next(signal: AbortSignal): Promise<TakenRun | null> {
    while (!signal.aborted) {
      const seen = this.#offers;
      const taken = this.#expected > 0 ? await this.#take() : null;
      if (taken !== null) {
        this.#offerRest();
        return taken;
      }
      // The stop may have come meanwhile, too.
      if (seen === this.#offers && !signal.aborted) await this.#offered(signal);
    }
    return null;
  }

  /** The store knows what is at work. */
  begin(): void {}

  onNudge(runId: string, check: () => void): () => void {
    this.#workers.set(runId, check);
    if (this.#nudgedMeanwhile.delete(runId)) check();
    return () => this.#workers.delete(runId);
  }

  async #take(): Promise<TakenRun | null> {
    if (this.#taking === 0) this.#nudgedMeanwhile.clear();
    this.#taking += 1;
    const seen = this.#offers;
    try {
      const taken = (await this.#takeReleased()) ?? (await this.#options.take());
      if (taken !== null) this.#expected = Math.max(0, this.#expected - 1);
      // What was offered meanwhile may have been queued after this found nothing.
      else if (seen === this.#offers) this.#expected = 0;
      return taken;
    } catch (cause) {
      this.#options.log.warn({ err: cause }, "could not take a run");
      return null;
    } finally {
      this.#taking -= 1;
    }
  }

  async #takeReleased(): Promise<TakenRun | null> {
    if (this.#released === 0) return null;
    this.#released -= 1;
    return await this.#options.takeReleased();
  }

  async #offered(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#idle.delete(wake);
        this.#woken += 1;
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#idle.add(wake);
      signal.addEventListener("abort", wake, { once: true });
    });
    this.#woken -= 1;
  }
}

// A worker's hold on one run: its fence, and the signal that tells the work to stop.

import { WOKEN } from "../../base/clock.ts";
import type { RunStatus } from "../../contract/runs/run.ts";
import type { Core } from "../core/core.ts";
import { beatRun, type TakenRun, takeRun } from "../core/runs/progress-run.ts";
import type { Heartbeats } from "./heartbeats.ts";
import type { RunQueue } from "./run-queue.ts";
import { RunStopped, type StopKind } from "./stop-reason.ts";

/** A run that is taken up late has the time to bring its files back and to be wrapped up. */
const LEAST_MS = 120_000;

type LeaseOptions = {
  readonly core: Core;
  readonly dispatch: Pick<RunQueue, "begin" | "onNudge">;
  readonly runId: string;
  /** Of the time at work, over all workers of the run. */
  readonly timeLimitMs: number;
  readonly heartbeats: Heartbeats;
};

export class RunLease {
  readonly #options: LeaseOptions;
  readonly #controller = new AbortController();
  readonly #released = new AbortController();
  readonly #stopListening: () => void;
  #begunAt = 0;
  #limit = new AbortController();
  #taken: TakenRun | null = null;
  #wasNudged = false;
  #stopBeating = () => {};

  /** Takes the run. Null when it is not queued any more. */
  static async take(options: LeaseOptions): Promise<{ lease: RunLease; taken: TakenRun } | null> {
    const lease = new RunLease(options);
    const taken = await takeRun(options.core, options.runId).catch((cause: unknown) => {
      lease.release();
      throw cause;
    });
    if (taken === null) {
      lease.release();
      return null;
    }
    lease.#begin(taken);
    return { lease, taken };
  }

  /** Holds a run that is taken already. */
  static hold(options: LeaseOptions, taken: TakenRun): RunLease {
    const lease = new RunLease(options);
    lease.#begin(taken);
    return lease;
  }

  private constructor(options: LeaseOptions) {
    this.#options = options;
    // A nudge may arrive while the run is being taken. It is answered right after.
    this.#stopListening = options.dispatch.onNudge(options.runId, () => this.#checkStatus());
  }

  /** Aborts with a RunStopped when the work has to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Tells the work to stop. Only the first reason counts. */
  stop(kind: StopKind): void {
    if (!this.signal.aborted) this.#controller.abort(new RunStopped(kind));
  }

  /** Stops the work where the run's status after a write requires it; null when this worker has lost the run. */
  observe(status: RunStatus | null): void {
    if (status === null) this.stop("lost");
    if (status === "cancelling") this.stop("cancel");
  }

  /** Counts the time towards the limit for which earlier workers were at the run. */
  countEarlier(ms: number): void {
    const { timeLimitMs } = this.#options;
    this.#limit.abort(WOKEN);
    this.#limit = new AbortController();
    void this.#stopAfter(Math.max(timeLimitMs - ms, Math.min(timeLimitMs, LEAST_MS)));
  }

  /** Ends heartbeat and listening. Safe to repeat. */
  release(): void {
    this.#stopListening();
    this.#stopBeating();
    this.#released.abort(WOKEN);
  }

  #begin(taken: TakenRun): void {
    this.#taken = taken;
    this.#options.dispatch.begin(taken.run);
    this.#begunAt = this.#options.core.clock.monotonic();
    const { id: runId, fence } = taken.run;
    this.#stopBeating = this.#options.heartbeats.add({ runId, fence }, (status) => this.observe(status));
    void this.#stopAfter(this.#options.timeLimitMs);
    if (this.#wasNudged) this.#checkStatus();
  }

  /** `ms` after it was taken. */
  async #stopAfter(ms: number): Promise<void> {
    const { clock } = this.#options.core;
    const isOver = AbortSignal.any([this.#released.signal, this.#limit.signal]);
    await clock.sleep(this.#begunAt + ms - clock.monotonic(), isOver).then(
      () => this.stop("time_limit"),
      () => {},
    );
  }

  #checkStatus(): void {
    this.#wasNudged = true;
    if (this.#taken === null) return;
    const { id: runId, fence } = this.#taken.run;
    const { core } = this.#options;
    beatRun(core, { runId, fence }).then(
      (status) => this.observe(status),
      (cause: unknown) => core.log.warn({ run_id: runId, err: cause }, "heartbeat failed"),
    );
  }
}

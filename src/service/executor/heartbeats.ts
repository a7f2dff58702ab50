// Sends the heartbeats of all running runs: one write for many runs, and the writes spread
// over time, so that events need not wait behind them.

import { WOKEN } from "../../base/clock.ts";
import type { RunStatus } from "../../contract/runs/run.ts";
import type { Core } from "../core/core.ts";
import { beatRuns } from "../core/runs/progress-run.ts";
import type { HeldRun } from "../core/runs/queue-port.ts";

/** Runs of one write. */
const MAX_BEAT = 100;

/** Receives a run's status; null when this worker has lost the run. */
type Observe = (status: RunStatus | null) => void;

export class Heartbeats {
  readonly #core: Core;
  readonly #everyMs: number;
  /** Least recently confirmed first. */
  readonly #held = new Map<HeldRun, Observe>();
  #resting: AbortController | null = null;

  constructor(core: Core, everyMs: number) {
    this.#core = core;
    this.#everyMs = everyMs;
  }

  /** Sends heartbeats for `run` until the returned function is called. */
  add(run: HeldRun, observe: Observe): () => void {
    this.#held.set(run, observe);
    if (this.#resting === null) {
      this.#resting = new AbortController();
      void this.#beatOn(this.#resting.signal);
    }
    return () => {
      if (!this.#held.delete(run) || this.#held.size > 0) return;
      this.#resting?.abort(WOKEN);
      this.#resting = null;
    };
  }

  async #beatOn(isOver: AbortSignal): Promise<void> {
    const { clock } = this.#core;
    // The interval includes the write itself: with a slow store, runs would otherwise look silent for longer.
    let tookMs = 0;
    for (;;) {
      const writes = Math.max(1, Math.ceil(this.#held.size / MAX_BEAT));
      const everyMs = this.#everyMs / writes;
      await clock.sleep(Math.min(everyMs, Math.max(0, everyMs - tookMs)), isOver).catch(() => {});
      if (isOver.aborted) return;
      const begunAt = clock.monotonic();
      await this.#beat([...this.#held.keys()].slice(0, MAX_BEAT));
      tookMs = clock.monotonic() - begunAt;
    }
  }

  async #beat(runs: readonly HeldRun[]): Promise<void> {
    for (const run of runs) this.#moveToEnd(run);
    try {
      const states = await beatRuns(this.#core, runs);
      for (const run of runs) this.#held.get(run)?.(states.get(run.runId) ?? null);
    } catch (cause) {
      this.#core.log.warn({ runs: runs.length, err: cause }, "heartbeat failed");
    }
  }

  #moveToEnd(run: HeldRun): void {
    const observe = this.#held.get(run);
    if (observe === undefined) return;
    this.#held.delete(run);
    this.#held.set(run, observe);
  }
}

// Deletes inputs and events of runs some time after the runs have ended. Every node sweeps.
// Why: docs/decisions/016-expired-runs-keep-their-record.md

import type { Core } from "../core.ts";

/** A step is one transaction: small, so that others do not wait long for it. */
const EVENTS_A_STEP = 1_000;

export class RunExpiry {
  readonly #core: Core;
  readonly #keptMs: number;
  #isStopped = false;
  #sweeping: Promise<number> | null = null;

  /** `keptMs` is counted from a run's end; 0 keeps everything for good. */
  constructor(core: Core, options: { keptMs: number }) {
    this.#core = core;
    this.#keptMs = options.keptMs;
  }

  /** Deletes inputs and events of every run that ended long enough ago, in steps. Returns how many steps. Never rejects. */
  async sweep(): Promise<number> {
    if (this.#keptMs === 0) return 0;
    this.#sweeping ??= this.#sweepOnce().finally(() => {
      this.#sweeping = null;
    });
    return await this.#sweeping;
  }

  /** Begins no further step. Resolves when the current one is done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#sweeping;
  }

  async #sweepOnce(): Promise<number> {
    const { clock, log, store } = this.#core;
    const batch = { endedBefore: clock.now() - this.#keptMs, maxEvents: EVENTS_A_STEP };
    let steps = 0;
    try {
      while (!this.#isStopped && (await store.transact((tx) => tx.expiry.deleteRunContent(batch))) > 0)
        steps += 1;
    } catch (cause) {
      log.warn({ err: cause }, "expired runs could not be deleted, trying again later");
    }
    return steps;
  }
}

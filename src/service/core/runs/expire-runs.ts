// Ends parked runs that nobody has continued, and deletes journals, inputs and events of runs some time after the runs have ended, or
// their agent was deleted. Every node sweeps.
// Why: docs/decisions/016-expired-runs-keep-their-record.md, 120-agents-are-deleted.md

import type { Core } from "../core.ts";
import { announce, cancelDeleted } from "./end-run.ts";
import { endOverdue } from "./park-run.ts";

/** A step is one transaction: small, so that others do not wait long for it. */
const EVENTS_A_STEP = 1_000;
const JOURNALS_A_STEP = 20;
/** Who waits for a run of a deleted agent reads its end. */
const DELETED_KEPT_MS = 60 * 60_000;

export class RunExpiry {
  readonly #core: Core;
  readonly #keptMs: number;
  #isStopped = false;
  #sweeping: Promise<number> | null = null;

  /** `keptMs` is counted from a run's end; 0 keeps everything but deleted agents' for good. */
  constructor(core: Core, options: { keptMs: number }) {
    this.#core = core;
    this.#keptMs = options.keptMs;
  }

  /**
   * Ends parked runs whose time is over, and deletes journals, inputs and events of every run that ended long enough ago, or whose agent
   * was deleted, in steps. Returns how many steps. Never rejects.
   */
  async sweep(): Promise<number> {
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
    const { clock, log, store, policy } = this.#core;
    const now = clock.now();
    const journals = { endedBefore: now - policy.journalMs, limit: JOURNALS_A_STEP, now };
    const maxEvents = EVENTS_A_STEP;
    const batch = { endedBefore: now - this.#keptMs, maxEvents, now };
    const deleted = { deletedBefore: now - DELETED_KEPT_MS, maxEvents, now };
    let steps = 0;
    try {
      steps += await endOverdue(this.#core);
      for (const agentId of await store.committed.agents.listDeletedAtWork())
        announce(this.#core, await store.transact((tx) => cancelDeleted(this.#core, tx, agentId)));
      while (!this.#isStopped && (await store.transact((tx) => tx.expiry.eraseDeletedAgent(deleted))) > 0)
        steps += 1;
      while (!this.#isStopped && (await store.transact((tx) => tx.journal.deleteOldest(journals))) > 0)
        steps += 1;
      while (
        !this.#isStopped &&
        this.#keptMs > 0 &&
        (await store.transact((tx) => tx.expiry.deleteRunContent(batch))) > 0
      )
        steps += 1;
    } catch (cause) {
      log.warn({ err: cause }, "expired runs could not be deleted, trying again later");
    }
    return steps;
  }
}

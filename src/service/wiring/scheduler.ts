// The timer of schedules: one sleep until the earliest due time, interrupted when schedules change in this process. Changes
// by other nodes are found within a minute.

import { msUntil } from "../../base/clock.ts";
import type { Core } from "../core/core.ts";
import { type Firing, fireDueSchedules } from "../core/schedules/fire-schedules.ts";

/** The time that a change by another node may stay unnoticed. */
const RECHECK_MS = 60_000;
const STORE_FAILED_MS = 1_000;

export class Scheduler {
  readonly #core: Core;
  readonly #firing: Firing;
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(parts: Firing & { readonly core: Core }) {
    const { core, ...firing } = parts;
    this.#core = core;
    this.#firing = firing;
  }

  /** Begins with the schedules that an earlier process left firing. Never rejects. */
  start(): void {
    this.#running = this.#run();
  }

  /** Fires nothing more. Resolves when the current firing is done. Safe to repeat. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log, scheduleAlarm, store } = this.#core;
    let isFirst = true;
    while (!this.#stopped.signal.aborted) {
      // Listens before it reads the store, so that a change in between is not missed.
      const alarm = scheduleAlarm.listen();
      let sleepMs = STORE_FAILED_MS;
      try {
        if (isFirst) await store.transact((tx) => tx.schedules.retakeFiring(clock.now()));
        isFirst = false;
        sleepMs = await this.#pass();
      } catch (cause) {
        log.warn({ err: cause }, "schedules could not be fired, trying again");
      }
      await clock.sleep(sleepMs, AbortSignal.any([this.#stopped.signal, alarm])).catch(() => {});
    }
  }

  /** Fires what is due. Returns how long it can sleep. */
  async #pass(): Promise<number> {
    const { clock, store } = this.#core;
    await fireDueSchedules(this.#core, { ...this.#firing, signal: this.#stopped.signal });
    const dueAt = await store.committed.schedules.findNextDueAt();
    return dueAt === null ? RECHECK_MS : Math.min(Math.max(msUntil(clock, dueAt), 0), RECHECK_MS);
  }
}

// The due-time timer: one sleep until the earliest schedule, cut short when schedules change in this process. Those of
// other nodes are found within a minute.

import type { Core } from "./core/core.ts";
import { type Firing, fireDueSchedules } from "./core/schedules/fire-schedules.ts";

/** How long what another node has changed may stay unseen. */
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

  /** Begins with what an earlier process left in the middle of firing. Its passes never reject. */
  start(): void {
    this.#running = this.#run();
  }

  /** Fires nothing more. Resolves when what was begun is done. Safe to repeat. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log, scheduleAlarm, store } = this.#core;
    let isFirst = true;
    while (!this.#stopped.signal.aborted) {
      // Listened to before the store is read: a change in between is not missed.
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

  /** Fires what is due. Returns how long nothing else is. */
  async #pass(): Promise<number> {
    const { clock, store } = this.#core;
    await fireDueSchedules(this.#core, { ...this.#firing, signal: this.#stopped.signal });
    const dueAt = await store.committed.schedules.findNextDueAt();
    return dueAt === null ? RECHECK_MS : Math.min(Math.max(dueAt - clock.now(), 0), RECHECK_MS);
  }
}
